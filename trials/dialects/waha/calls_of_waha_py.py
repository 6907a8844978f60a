"""
What waha-py, generated from WAHA's own OpenAPI document, makes of our answers: each call once, against a service that
runs. Its methods return JSON; the models that the document names for each are applied to it here.

A line of JSON for each call: its name, and what is wrong with it.
"""

import json
import os
import threading
import time
import hashlib
import hmac
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Callable, Optional

import httpx
from pydantic import Json, TypeAdapter
from waha import WahaClient
from waha.generated import models as m

stage = json.loads(os.environ["STAGE"])
session, friend, group, invite = (stage[name] for name in ("session", "friend", "group", "invite"))
waha = WahaClient(stage["url"], api_key=stage["key"])
chat = f"{friend}@c.us"

# WAHA's document says objects where its own examples have names of events.
m.WebhookConfig.model_fields["events"].annotation = list[str]
for model in (m.WebhookConfig, m.SessionConfig, m.SessionInfo, m.SessionDTO):
    model.model_rebuild(force=True)



def tell(name: str, wrong: Optional[str]) -> None:
    print(json.dumps({"call": name, **({"why": wrong} if wrong else {})}), flush=True)


def check(name: str, run: Callable[[], Any], wanted: Any = None) -> Any:
    """`wanted`: the type of the answer that the document names, or a condition where it names none."""
    wrong: Optional[str] = None
    answer: Any = None
    try:
        answer = run()
        if isinstance(wanted, type) or hasattr(wanted, "__origin__"):
            TypeAdapter(wanted).validate_python(answer)
        elif callable(wanted) and not wanted(answer):
            wrong = f"answers {json.dumps(answer)[:300]}"
    except httpx.HTTPStatusError as error:
        wrong = f"{error.response.status_code} {error.response.text[:300]}"
    except Exception as error:  # whatever a client says of it
        wrong = f"{type(error).__name__}: {str(error)[:600]} in {json.dumps(answer)[:300]}"
    tell(name, wrong)
    return answer


def incoming() -> str:
    """The id of a message that the friend has sent, as WAHA's programs know it."""
    messages = waha.chats.get_chat_messages(session, chat, params={"limit": 50, "filter.fromMe": "false"})
    return str(messages[0]["id"])


def to(**more: Any) -> dict[str, Any]:
    return {"session": session, "chatId": chat, **more}


def with_session(**more: Any) -> dict[str, Any]:
    return {"session": session, **more}


has = lambda *fields: lambda answer: isinstance(answer, dict) and all(field in answer for field in fields)
success = has("success")
url_file = {"url": stage["picture"], "mimetype": "image/jpeg", "filename": "blue.jpg"}
members = {"participants": [{"id": chat}]}

# The server, without a session
check("ping.ping", waha.ping.ping, m.PingResponse)
check("health.check", waha.health.check, has("status"))
check("server.get", waha.server.get, m.WAHAEnvironment)
check("server.environment", waha.server.environment, lambda answer: isinstance(answer, dict))
check("server.status", waha.server.status, m.ServerStatusResponse)
check("version.get", waha.version.get, m.WAHAEnvironment)

# Sessions
webhooks = [{"url": "https://shop.example/hook", "events": ["message", "session.status"], "hmac": {"key": "a key"}}]
config = {"webhooks": webhooks, "noweb": {"store": {"enabled": True, "fullSync": False}}, "metadata": None}
check("sessions.create", lambda: waha.sessions.create({"name": "second", "start": True, "config": config}), m.SessionDTO)
check("sessions.get", lambda: waha.sessions.get("second"), m.SessionInfo)
check("sessions.list", lambda: waha.sessions.list({"all": "true"}), list[m.SessionInfo])
check("sessions.update", lambda: waha.sessions.update("second", {"config": {"webhooks": []}}), m.SessionDTO)
check("sessions.start", lambda: waha.sessions.start("second"), m.SessionDTO)
check("sessions.restart", lambda: waha.sessions.restart("second"), m.SessionDTO)
for _ in range(100):
    if waha.sessions.get("second")["status"] == "SCAN_QR_CODE":
        break
    time.sleep(0.2)
check("auth.get_qr", lambda: waha.auth.get_qr("second", {"format": "image"}), m.Base64File)
check("auth.get_qr raw", lambda: waha.auth.get_qr("second", {"format": "raw"}), m.QRCodeValue)
check("auth.request_code", lambda: waha.auth.request_code("second", {"phoneNumber": "4915112345678"}), has("code"))
check("sessions.logout", lambda: waha.sessions.logout("second"), m.SessionDTO)
check("sessions.delete", lambda: waha.sessions.delete("second"))
check("sessions.depracated_start", lambda: waha.sessions.depracated_start({"name": "third"}), m.SessionDTO)
check("sessions.deprecated_logout", lambda: waha.sessions.deprecated_logout({"name": "third"}))
waha.sessions.depracated_start({"name": "third"})
check("sessions.deprecated_stop", lambda: waha.sessions.deprecated_stop({"name": "third", "logout": True}))
check("sessions.get_me", lambda: waha.sessions.get_me(session), m.MeInfo)
check("sessions.fetch_reachout_timelock", lambda: waha.sessions.fetch_reachout_timelock(session), m.ReachoutTimelockData)
check("sessions.fetch_message_capping", lambda: waha.sessions.fetch_message_capping(session), m.MessageCappingData)
check("sessions.get connected", lambda: waha.sessions.get(session), m.SessionInfo)

# Sending
c = waha.chatting
sent = check("chatting.send_text", lambda: c.send_text(to(text="ready", reply_to=None)), m.WAMessage)
check("chatting.send_text_get", lambda: c.send_text_get({"phone": friend, "text": "again", "session": session}), m.WAMessage)
check("chatting.reply", lambda: c.reply(to(text="indeed", reply_to=incoming())), m.WAMessage)
check("chatting.send_image", lambda: c.send_image(to(file=url_file, caption="the blue one")), m.WAMessage)
check("chatting.send_file", lambda: c.send_file(to(file={"data": "JVBERi0xLjQK", "mimetype": "application/pdf", "filename": "a.pdf"})), m.WAMessage)
ogg, mp4 = stage["ogg"], stage["mp4"]
check("chatting.send_voice", lambda: c.send_voice(to(file={"data": ogg, "mimetype": "audio/ogg; codecs=opus"}, convert=False)), m.WAMessage)
check("chatting.send_video", lambda: c.send_video(to(file={"data": mp4, "mimetype": "video/mp4"}, convert=False, caption="see")), m.WAMessage)
check("chatting.send_sticker", lambda: c.send_sticker(to(file=url_file)), m.WAMessage)
preview = {"url": "https://shop.example/", "title": "The Shop", "description": "Open"}
check("chatting.send_link_custom_preview", lambda: c.send_link_custom_preview(to(text="see https://shop.example/", preview=preview)), m.WAMessage)
check("chatting.send_link_preview_deprecated", lambda: c.send_link_preview_deprecated(to(url="https://shop.example/", title="The Shop")), m.WAMessage)
check("chatting.forward_message", lambda: c.forward_message(to(messageId=incoming())), m.WAMessage)
poll = {"name": "When?", "options": ["Monday", "Tuesday"], "multipleAnswers": False}
check("chatting.send_poll", lambda: c.send_poll(to(poll=poll)), m.WAMessage)
check("chatting.send_location", lambda: c.send_location(to(latitude=52.5, longitude=13.4, title="The Shop")), m.WAMessage)
card = {"fullName": "Ada", "organization": "The Shop", "phoneNumber": f"+{friend}", "whatsappId": friend, "vcard": None}
vcard = {"vcard": "BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nTEL;type=CELL:+49171\nEND:VCARD"}
check("chatting.send_contact_vcard", lambda: c.send_contact_vcard(to(contacts=[card, vcard])), m.WAMessage)
check("chatting.set_reaction", lambda: c.set_reaction(with_session(messageId=incoming(), reaction="👍")), m.WAMessage)
check("chatting.send_seen", lambda: c.send_seen(to(messageIds=[incoming()], participant=None)), lambda answer: answer == {})
check("chatting.send_seen of a chat", lambda: c.send_seen(to()), lambda answer: answer == {})
check("chatting.start_typing", lambda: c.start_typing(to()), success)
check("chatting.stop_typing", lambda: c.stop_typing(to()), success)
event = {"name": "Opening", "description": "Coffee", "startTime": 1893456000, "endTime": None}
check("events.send_event", lambda: waha.events.send_event(session, {"chatId": chat, "event": event}), m.WAMessage)
check("chatting.get_messages", lambda: c.get_messages({"session": session, "chatId": chat, "limit": 10}), list[m.WAMessage])
check("chatting.deprecated_check_number_status", lambda: c.deprecated_check_number_status({"phone": friend, "session": session}), m.WANumberExistResult)

# Chats
h = waha.chats
check("chats.get_chats", lambda: h.get_chats(session, {"limit": 10}), lambda answer: any(one["id"] == chat for one in answer))
check("chats.get_chats_overview", lambda: h.get_chats_overview(session, {"limit": 5}), list[m.ChatSummary])
check("chats.post_chats_overview", lambda: h.post_chats_overview(session, {"pagination": {"limit": 5}, "filter": {"ids": [chat]}}), list[m.ChatSummary])
check("chats.get_chat_messages", lambda: h.get_chat_messages(session, chat, {"limit": 100}), list[m.WAMessage])
check("chats.get_chat_message", lambda: h.get_chat_message(session, chat, incoming()), m.WAMessage)
check("chats.read_chat_messages", lambda: h.read_chat_messages(session, chat), m.ReadChatMessagesResponse)
check("chats.edit_message", lambda: h.edit_message(session, chat, sent["id"], {"text": "nearly ready"}), m.WAMessage)
check("chats.pin_message", lambda: h.pin_message(session, chat, sent["id"], {"duration": 86400}), success)
check("chats.unpin_message", lambda: h.unpin_message(session, chat, sent["id"]), success)
check("chats.delete_message", lambda: h.delete_message(session, chat, sent["id"]), success)
check("chats.archive_chat", lambda: h.archive_chat(session, chat), lambda answer: answer["archived"] is True)
check("chats.unarchive_chat", lambda: h.unarchive_chat(session, chat), lambda answer: answer["archived"] is False)
check("chats.unread_chat", lambda: h.unread_chat(session, chat), has("id"))
check("chats.get_chat_picture", lambda: h.get_chat_picture(session, chat), m.ChatPictureResponse)


def load_media() -> bool:
    """The file of a message, from where its payload says that it is, with the key that a program has."""
    found = [one for one in h.get_chat_messages(session, chat, {"limit": 100}) if one["hasMedia"] and not one["fromMe"]]
    answer = httpx.get(found[0]["media"]["url"], headers={"X-Api-Key": stage["key"]})
    return answer.status_code == 200 and len(answer.content) > 100


check("media.url", load_media, lambda answer: answer)

# People
p = waha.contacts
check("contacts.get_all", lambda: p.get_all({"session": session}), lambda answer: all("id" in one for one in answer))
check("contacts.get", lambda: p.get({"session": session, "contactId": chat}), lambda answer: answer["id"] == chat)
check("contacts_session.get", lambda: waha.contacts_session.get(session, chat), lambda answer: answer["id"] == chat)
check("contacts.check_exists", lambda: p.check_exists({"session": session, "phone": friend}), m.WANumberExistResult)
check("contacts.get_about", lambda: p.get_about({"session": session, "contactId": chat}), has("about"))
check("contacts.get_profile_picture", lambda: p.get_profile_picture({"session": session, "contactId": chat}), has("profilePictureURL"))
check("contacts.block", lambda: p.block(with_session(contactId=chat)), success)
check("contacts.unblock", lambda: p.unblock(with_session(contactId=chat)), success)
lid = waha.sessions.get_me(session)["lid"]
check("lids.find_pn_by_lid", lambda: waha.lids.find_pn_by_lid(session, lid), m.LidToPhoneNumber)
check("lids.find_lid_by_phone_number", lambda: waha.lids.find_lid_by_phone_number(session, friend), m.LidToPhoneNumber)
check("profile.set_profile_status", lambda: waha.profile.set_profile_status(session, {"status": "Open"}), m.Result)
check("profile.set_profile_picture", lambda: waha.profile.set_profile_picture(session, {"file": url_file}), m.Result)
check("profile.get_my_profile", lambda: waha.profile.get_my_profile(session), m.MyProfile)
check("profile.delete_profile_picture", lambda: waha.profile.delete_profile_picture(session), m.Result)

# Groups
g = waha.groups
made = check("groups.create_group", lambda: g.create_group(session, {"name": "Ours", **members}), has("id", "subject"))
own = made["id"]
check("groups.get_groups", lambda: g.get_groups(session), lambda answer: own in answer)
check("groups.get_groups_count", lambda: g.get_groups_count(session), m.CountResponse)
check("groups.refresh_groups", lambda: g.refresh_groups(session), success)
check("groups.get_group", lambda: g.get_group(session, own), lambda answer: answer["id"] == own)
check("groups.set_subject", lambda: g.set_subject(session, own, {"subject": "Regulars"}), success)
check("groups.set_description", lambda: g.set_description(session, own, {"description": "New in"}), success)
for name, model, body in (
    ("info_admin_only", m.SettingsSecurityChangeInfo, {"adminsOnly": True}),
    ("messages_admin_only", m.SettingsSecurityChangeInfo, {"adminsOnly": False}),
    ("member_add_mode", m.SettingsMemberAddMode, {"membersCanAddNewMember": True}),
    ("membership_approval_mode", m.SettingsMembershipApproval, {"newMembersApprovalRequired": True}),
):
    setting, reading = getattr(g, f"set_{name}"), getattr(g, f"get_{name}")
    check(f"groups.set_{name}", lambda: setting(session, own, body), success)
    check(f"groups.get_{name}", lambda: reading(session, own), model)
check("groups.get_invite_code", lambda: g.get_invite_code(session, own), str)
check("groups.revoke_invite_code", lambda: g.revoke_invite_code(session, own), str)
check("groups.get_participants", lambda: g.get_participants(session, own), lambda answer: len(answer) == 2)
check("groups.get_group_participants", lambda: g.get_group_participants(session, own), list[m.GroupParticipant])
check("groups.promote_to_admin", lambda: g.promote_to_admin(session, own, members), lambda answer: answer[0]["status"] == "200")
check("groups.demote_to_admin", lambda: g.demote_to_admin(session, own, members), lambda answer: answer[0]["status"] == "200")
check("groups.remove_participants", lambda: g.remove_participants(session, own, members), lambda answer: answer[0]["status"] == "200")
check("groups.add_participants", lambda: g.add_participants(session, own, members), lambda answer: len(answer) == 1)
check("groups.get_group_join_requests", lambda: g.get_group_join_requests(session, own), list[m.GroupJoinRequest])
check("groups.approve_group_join_requests", lambda: g.approve_group_join_requests(session, own, members), list[m.GroupJoinRequestResult])
check("groups.reject_group_join_requests", lambda: g.reject_group_join_requests(session, own, members), list[m.GroupJoinRequestResult])
check("groups.set_picture", lambda: g.set_picture(own, session, {"file": url_file}), m.Result)
check("groups.get_chat_picture", lambda: g.get_chat_picture(session, own), m.ChatPictureResponse)
check("groups.delete_picture", lambda: g.delete_picture(own, session), m.Result)
check("groups.join_info_group", lambda: g.join_info_group(session, {"code": invite}), lambda answer: answer["id"] == group)
check("groups.join_group", lambda: g.join_group(session, {"code": invite}), m.JoinGroupResponse)
check("groups.leave_group", lambda: g.leave_group(session, own), success)

# Presence, statuses, calls
check("presence.set_presence", lambda: waha.presence.set_presence(session, {"presence": "online"}), success)
check("presence.set_presence in a chat", lambda: waha.presence.set_presence(session, {"presence": "typing", "chatId": chat}), success)
check("presence.subscribe", lambda: waha.presence.subscribe(session, chat), success)
posted = check("status.send_text_status", lambda: waha.status.send_text_status(session, {"text": "Open", "backgroundColor": "#38b42f", "font": 0, "contacts": None}), m.WAMessage)
check("status.send_image_status", lambda: waha.status.send_image_status(session, {"file": url_file, "caption": "blue"}), m.WAMessage)
check("status.delete_status", lambda: waha.status.delete_status(session, {"id": posted["id"]}), success)
check("calls.reject_call", lambda: waha.calls.reject_call(session, {"from": chat, "id": "7F3A9C0D5B1E"}), success)


# Events: what a webhook of WAHA's gets, read by the models of the same document
heard: dict[str, Any] = {}
is_signed = True


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        global is_signed
        body = self.rfile.read(int(self.headers["content-length"]))
        wanted = hmac.new(b"a key", body, hashlib.sha512).hexdigest()
        is_signed = is_signed and self.headers["x-webhook-hmac"] == wanted
        event = json.loads(body)
        heard.setdefault(event["event"], event)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
own_hook = {"url": f"http://127.0.0.1:{server.server_port}/hook", "events": ["*"], "hmac": {"key": "a key"}}
waha.sessions.update(session, {"config": {"webhooks": [own_hook]}})


def phone(who: str, path: str, body: dict[str, Any]) -> Any:
    """What a phone of the simulated network does."""
    return httpx.post(f"{stage['phones']}/phones/{who}/{path}", json=body).raise_for_status().json()


time.sleep(31)  # until the session has heard which events are wanted
owner = stage["owner"]
asked = phone(friend, "messages", {"to": owner, "text": "still there?"})
phone(friend, "messages", {"to": owner, "reaction": {"message_id": asked["id"], "emoji": "👍"}})
vote_in = c.send_poll(to(poll=poll))["id"].split("_")[2]
phone(friend, "calls", {"to": owner})
c.send_text(to(text="it is"))
phone(friend, "messages", {"to": owner, "vote": {"message_id": vote_in, "options": ["Monday"]}})
g.set_subject(session, group, {"subject": "Everybody"})
hooks = {
    "message": m.WAHAWebhookMessage,
    "message.reaction": m.WAHAWebhookMessageReaction,
    "message.ack": m.WAHAWebhookMessageAck,
    "poll.vote": m.WAHAWebhookPollVote,
    "call.received": m.WAHAWebhookCallReceived,
}
for name, hook in hooks.items():
    for _ in range(100):
        if name in heard:
            break
        time.sleep(0.2)
    # As of webhooks, the document says an object where there is a name.
    hook.model_fields["event"].annotation = str
    hook.model_rebuild(force=True)
    check(f"event {name}", lambda: heard.get(name), hook)
check("X-Webhook-Hmac", lambda: is_signed, lambda answer: answer)


def missing(name: str, run: Callable[[], Any]) -> None:
    """A call that the service has not: 501, and why."""
    wrong: Optional[str] = "was not refused"
    try:
        run()
    except httpx.HTTPStatusError as error:
        said = error.response.json()
        is_right = said.get("statusCode") == 501 and said.get("error") == "Not Implemented" and said.get("message")
        wrong = None if is_right else f"{error.response.status_code} {error.response.text[:200]}"
    tell(f"{name}, which is 501", wrong)


missing("sessions.stop", lambda: waha.sessions.stop(session))
missing("chatting.send_buttons", lambda: c.send_buttons(to(body="?", buttons=[])))
missing("chatting.send_list", lambda: c.send_list(to(message={})))
missing("chatting.set_star", lambda: c.set_star(to(messageId="x", star=True)))
missing("chatting.send_poll_vote", lambda: c.send_poll_vote(to(pollMessageId="x", votes=["a"])))
missing("channels.list", lambda: waha.channels.list(session))
missing("presence.get_presence_all", lambda: waha.presence.get_presence_all(session))
missing("lids.get_all", lambda: waha.lids.get_all(session))
missing("media.convert_voice", lambda: waha.media.convert_voice(session, {"url": stage["picture"]}))
missing("apps.list", lambda: waha.apps.list({"session": session}))
missing("api_keys.list", lambda: waha.api_keys.list())
missing("groups.delete_group", lambda: g.delete_group(session, group))
