"""The OpenAI dialect as pure functions: requests, answers, server-sent events."""
