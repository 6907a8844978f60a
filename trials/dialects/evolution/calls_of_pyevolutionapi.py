"""Every call of pyevolutionapi 0.1.1 that is no integration. Its own models check each answer.

It drops the path of its base URL, so it speaks to a host of its own that leads to /evolution.
"""

import json
import os

from pyevolutionapi import EvolutionClient
from pyevolutionapi.models.webhook import WebhookConfig

about = json.loads(os.environ["STAGE"])
client = EvolutionClient(about["root"], api_key=about["key"], timeout=60)
shop, friend, files = about["instance"], about["friend"], about["files"]


def check(call, made, good=bool):
    try:
        answer = made()
        why = None if good(answer) else f"answered {answer!r}"[:300]
    except Exception as error:  # whatever is wrong belongs into the report
        answer, why = None, repr(error)[:300]
    print(json.dumps({"call": call, **({"why": why} if why else {})}), flush=True)
    return answer


def sent(answer):
    return bool(answer.message_id) and answer.key.from_me and answer.status == "PENDING"


def has(*names):
    return lambda answer: all(name in answer for name in names)


check("client.health_check", client.health_check)
made = check("instance.create", lambda: client.instance.create("py-made", qrcode=True), lambda a: a.qr_code_base64 and a.hash)
check("instance.fetch_instances", client.instance.fetch_instances, lambda a: {"py-made", shop} <= {i.id for i in a})
check("instance.connect", lambda: client.instance.connect("py-made"), lambda a: a.base64 and a.code)
check("instance.restart", lambda: client.instance.restart(shop), lambda a: a.instance.is_connected)
check("instance.connection_state", lambda: client.instance.connection_state(shop), lambda a: a["instance"]["state"] == "open")
check("instance.set_presence", lambda: client.instance.set_presence(shop), has("presence"))
check("instance.delete", lambda: client.instance.delete("py-made"), lambda a: a["status"] == "SUCCESS")

text = check("messages.send_text", lambda: client.messages.send_text(shop, friend, "Hello", delay=10), sent)
check("messages.send_media", lambda: client.messages.send_media(shop, friend, "image", f"{files}/picture.jpg", caption="Look"), sent)
check("messages.send_audio", lambda: client.messages.send_audio(shop, friend, f"{files}/sound.ogg"), sent)
check("messages.send_location", lambda: client.messages.send_location(shop, friend, "Mill", "Mill Lane 1", 52.5, 13.4), sent)
card = {"fullName": "Ada", "wuid": friend, "phoneNumber": friend}
check("messages.send_contact", lambda: client.messages.send_contact(shop, friend, [card]), sent)
key = {"id": about["text"], "remoteJid": f"{friend}@s.whatsapp.net", "fromMe": False}
check("messages.send_reaction", lambda: client.messages.send_reaction(shop, key, "👍"), sent)
check("messages.send_sticker", lambda: client.messages.send_sticker(shop, friend, f"{files}/picture.jpg"), sent)
check("messages.send_poll", lambda: client.messages.send_poll(shop, friend, "When?", ["now", "later"]), sent)
check("messages.send_status", lambda: client.messages.send_status(shop, "text", "Open"), sent)

check("chat.whatsapp_numbers", lambda: client.chat.whatsapp_numbers(shop, [friend, "15550000001"]), lambda a: [n["exists"] for n in a] == [True, False])
check("chat.mark_as_read", lambda: client.chat.mark_as_read(shop, [key]), lambda a: a["read"] == "success")
check("chat.fetch_profile_picture", lambda: client.chat.fetch_profile_picture(shop, friend), has("wuid", "profilePictureUrl"))
check("chat.find_contacts", lambda: client.chat.find_contacts(shop), lambda a: any(friend in c.jid for c in a))
where = {"key": {"remoteJid": f"{friend}@s.whatsapp.net"}}
check("chat.find_messages", lambda: client.chat.find_messages(shop, where), lambda a: a["messages"]["records"])
check("chat.find_chats", lambda: client.chat.find_chats(shop), lambda a: any(friend in c.jid for c in a))
check("chat.send_presence", lambda: client.chat.send_presence(shop, friend), has("presence"))
check("chat.update_block_status", lambda: [client.chat.update_block_status(shop, friend, s) for s in ("block", "unblock")][1], lambda a: a["block"] == "success")

check("group.create", lambda: client.group.create(shop, "Regulars", "Those who come", [friend]), lambda a: a is not None)
group = next(g.id for g in client.group.fetch_all_groups(shop) if g.subject == "Regulars")
check("group.fetch_all_groups", lambda: client.group.fetch_all_groups(shop, True), lambda a: a[0].participants)
check("group.update_picture", lambda: client.group.update_picture(shop, group, f"{files}/picture.jpg"), has("update"))
check("group.update_subject", lambda: client.group.update_subject(shop, group, "Friends"), has("update"))
check("group.update_description", lambda: client.group.update_description(shop, group, "All"), has("update"))
check("group.get_invite_code", lambda: client.group.get_invite_code(shop, group), has("inviteUrl", "inviteCode"))
check("group.revoke_invite_code", lambda: client.group.revoke_invite_code(shop, group), has("inviteCode"))
check("group.update_participant", lambda: client.group.update_participant(shop, group, "promote", [friend]), has("updateParticipants"))
check("group.get_participants", lambda: client.group.get_participants(shop, group), lambda a: len(a["participants"]) == 2)
check("group.leave_group", lambda: client.group.leave_group(shop, group), lambda a: a["leave"])

check("profile.fetch_profile", lambda: client.profile.fetch_profile(shop, friend), has("wuid", "name"))
check("profile.fetch_business_profile", lambda: client.profile.fetch_business_profile(shop, friend), has("isBusiness"))
check("profile.update_status", lambda: client.profile.update_status(shop, "Open"), has("update"))
check("profile.update_picture", lambda: client.profile.update_picture(shop, f"{files}/picture.jpg"), has("update"))
check("profile.remove_picture", lambda: client.profile.remove_picture(shop), has("update"))

# Its own model keeps the URL as an object that its own request cannot write.
config = WebhookConfig.model_construct(
    enabled=True, url=f"{files}/hook", webhook_by_events=True, webhook_base64=False, headers=None, events=["MESSAGES_UPSERT"]
)
check("webhook.set_webhook", lambda: client.webhook.set_webhook(shop, config), lambda a: a is not None)
check("webhook.find_webhook", lambda: client.webhook.find_webhook(shop), lambda a: a is not None)
check("instance.logout", lambda: client.instance.logout(shop), lambda a: a["status"] == "SUCCESS")
