"""A model server in a thread: counts its calls, and answers when it is let."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

import orjson

from loadtest.answers import plain_text, worked_text
from stepcache_proxy.wire.jsonvalue import read_object


@dataclass
class CountingModel:
    """Solves equations in steps, says something fixed of all else."""

    questions: list[str] = field(default_factory=list)
    may_answer: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    @contextmanager
    def serving(self) -> Generator[Self]:
        """Listen on a free port of the loopback interface."""
        self.may_answer.set()
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._turn())
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield self
        finally:
            self.may_answer.set()
            server.shutdown()
            server.server_close()

    def answer(self, body: bytes) -> bytes:
        """The whole chat answer to a request."""
        asked = read_object(body)
        assert asked is not None
        messages = asked["messages"]
        assert isinstance(messages, list)
        assert isinstance(messages[0], dict)
        question = str(messages[0]["content"])
        self.questions.append(question)
        self.may_answer.wait(30)
        text = worked_text("", question) or plain_text("", question)
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 20, "total_tokens": 29}
        envelope = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
        return orjson.dumps({**envelope, "choices": [choice], "usage": usage})

    def _turn(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Turn(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._say(b'{"object":"list","data":[{"id":"m","object":"model"}]}')

            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                self._say(model.answer(self.rfile.read(length)))

            def _say(self, body: bytes) -> None:
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                return

        return Turn
