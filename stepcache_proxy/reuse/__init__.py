"""StepCache (arXiv 2603.28795) without I/O. Start reading at ``pipeline.py``."""
