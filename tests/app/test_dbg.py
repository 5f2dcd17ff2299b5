import asyncio, time, threading, sys
from tests.app.running import running
from tests.api.proxy import Model
from tests.app.test_caretaker import put, VECTOR, until
async def test_x(own_valkey):
    async with running(Model(), own_valkey.url) as other, running(Model(), own_valkey.url) as app:
        c=app.parts.caretaker
        await put(app,"a","b"); await c.rebuild()
        loop=asyncio.get_running_loop()
        def dump():
            for t in asyncio.all_tasks():
                print("TASK", t.get_coro(), t.cancelling())
                fr=t.get_stack()
                co=t.get_coro(); 
                while co is not None and hasattr(co,'cr_frame') and co.cr_frame:
                    print("    ", co.cr_frame.f_code.co_qualname, co.cr_frame.f_lineno); co=co.cr_await
                print("    ->", co)
            for t in asyncio.all_tasks(): t.cancel()
        loop.call_later(8, dump)
        async with asyncio.TaskGroup() as g:
            t=g.create_task(c.run())
            await other.parts.storage.store.client.flushall()
            await until(lambda: c.index.size() == 0)
            await until(lambda: c.sizes.records == 0)
            print("cancel", c._is_built)
            t.cancel()
        print("done")
        assert 0
