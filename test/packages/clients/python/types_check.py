"""What a program may rely on: mypy reads it, with the installed SDK; it is never run."""

from __future__ import annotations

from messaging_bridge import AsyncMessagingBridge, MessageEvent, MessagingBridge, PollVoteEvent, errors, types

shop = MessagingBridge().bridge("shop")

for one in shop.events(PollVoteEvent, resume="votes"):
    options: list[str] = one.event.selected_options
    one.event.body  # type: ignore[attr-defined]
for one in shop.events(PollVoteEvent, chatt="1"):  # type: ignore[call-overload]
    pass
for two in shop.events(PollVoteEvent, MessageEvent, from_="now"):
    either: PollVoteEvent | MessageEvent = two.event
for message in shop.messages(resume="shop", groups=True):
    body_of_message: str = message.event.body
for any in shop.events("message", "poll_vote", direction="in", since=0):
    if any.event.event == "poll_vote":
        options = any.event.selected_options
    if isinstance(any.event, MessageEvent):
        text: str = any.event.body
sent: types.SendResult = shop.send_text(chat="1", body="b", idempotency_key="k")
names: list[str] = [contact.name for contact in shop.list_contacts()]
page: list[types.Contact] = shop.list_contacts(limit=2).page()
shop.update_bridge(pacing=types.Pacing(gap_ms=1000), keep=None)
shop.send_text(chat="1", text="b")  # type: ignore[call-arg]
try:
    png: bytes = shop.qr().content
except errors.AlreadyPaired as error:
    request: str | None = error.request_id


async def main() -> None:
    async with AsyncMessagingBridge() as client:
        bridge = client.bridge("shop")
        result: types.SendResult = await bridge.send_text(chat="1", body="b")
        async for contact in bridge.list_contacts():
            name: str = contact.name
        async for one in bridge.events(MessageEvent, after="evt_1"):
            body: str = one.event.body
        bridge.send_text(chat="1", body="b")  # type: ignore[unused-coroutine]
        await bridge.send_text(chat=1, body="b")  # type: ignore[arg-type]
