"""Every call of evolutionapi 0.1.2 that Evolution has and this service has, beside integrations.

`chat.delete_message_for_everyone` is left out: the client calls its own `delete` with an argument that it does
not take. Its typed dictionaries check the answers that have one.
"""

import json
import os
from types import SimpleNamespace as Plain

from evolutionapi.client import EvolutionClient
from evolutionapi.models import chat, group, instance, message, presence, profile
from evolutionapi.typing import response_types as types

about = json.loads(os.environ["STAGE"])
client = EvolutionClient(about["url"], about["key"])
shop, friend, files, token = about["instance"], about["friend"], about["files"], about["token"]
jid = f"{friend}@s.whatsapp.net"
folder = about["folder"]


def check(call, made, good=bool):
    try:
        answer = made()
        why = None if good(answer) else f"answered {answer!r}"[:300]
    except Exception as error:  # whatever is wrong belongs into the report
        answer, why = None, repr(error)[:300]
    print(json.dumps({"call": call, **({"why": why} if why else {})}), flush=True)
    return answer


def typed(kind):
    return lambda answer: isinstance(answer, dict) and kind.__required_keys__ <= answer.keys()


def sent(answer):
    return answer["key"]["fromMe"] and answer["status"] == "PENDING" and answer["messageTimestamp"] > 0


def has(*names):
    return lambda answer: all(name in answer for name in names)


def done(answer):
    return answer["update"] == "success"


config = instance.InstanceConfig("py2-made", integration="WHATSAPP-BAILEYS", qrcode=True)
made = check("instances.create_instance", lambda: client.instances.create_instance(Plain(**{k: v for k, v in vars(config).items() if k != "self"})), has("instance", "hash", "qrcode"))
check("instances.fetch_instances", client.instances.fetch_instances, lambda a: {"py2-made", shop} <= {i["name"] for i in a})
operate = client.instance_operations
check("instance_operations.connect", lambda: operate.connect("py2-made", made["hash"]), has("base64", "code", "pairingCode"))
check("instance_operations.restart", lambda: operate.restart(shop, token), has("instance"))
check("instance_operations.set_presence", lambda: operate.set_presence(shop, presence.PresenceStatus.AVAILABLE, token), has("presence"))
check("instance_operations.get_connection_state", lambda: operate.get_connection_state(shop, token), lambda a: a["instance"]["state"] == "open")
check("instance_operations.delete", lambda: operate.delete("py2-made", about["key"]), lambda a: a["status"] == "SUCCESS")

with open(f"{folder}/picture.jpg", "wb") as file:
    import base64

    file.write(base64.b64decode(about["picture_base64"]))
with open(f"{folder}/sound.ogg", "wb") as file:
    file.write(base64.b64decode(about["sound_base64"]))
picture, sound = f"{folder}/picture.jpg", f"{folder}/sound.ogg"

send = client.messages
text = check("messages.send_text", lambda: send.send_text(shop, message.TextMessage(friend, "Hello", delay=10), token), sent)
media = message.MediaMessage(friend, mediatype="image", caption="Look", mimetype="image/jpeg", fileName="picture.jpg")
check("messages.send_media", lambda: send.send_media(shop, media, token, picture), sent)
check("messages.send_ptv", lambda: send.send_ptv(shop, {"number": friend}, token, picture), sent)
check("messages.send_whatsapp_audio", lambda: send.send_whatsapp_audio(shop, {"number": friend, "delay": 10}, token, sound), sent)
check("messages.send_status", lambda: send.send_status(shop, message.StatusMessage(message.StatusType.TEXT, "Open", backgroundColor="#205e7a"), token), sent)
check("messages.send_sticker", lambda: send.send_sticker(shop, {"number": friend}, token, picture), sent)
check("messages.send_location", lambda: send.send_location(shop, message.LocationMessage(friend, "Mill", "Mill Lane 1", 52.5, 13.4), token), sent)
card = message.Contact("Ada", friend, friend)
check("messages.send_contact", lambda: send.send_contact(shop, message.ContactMessage(friend, [card]), token), sent)
key = {"id": about["text"], "remoteJid": jid, "fromMe": False}
check("messages.send_reaction", lambda: send.send_reaction(shop, message.ReactionMessage(key, "👍"), token), sent)
check("messages.send_poll", lambda: send.send_poll(shop, message.PollMessage(friend, "When?", 1, ["now", "later"]), token), sent)

chats = client.chat
check("chat.check_is_whatsapp_numbers", lambda: chats.check_is_whatsapp_numbers(shop, chat.CheckIsWhatsappNumber([friend]), token), lambda a: typed(types.WhatsAppNumberInfo)(a[0]) and a[0]["exists"])
check("chat.mark_message_as_read", lambda: chats.mark_message_as_read(shop, [chat.ReadMessage(jid, False, about["text"])], token), typed(types.MarkMessageAsReadResponse))
check("chat.archive_chat", lambda: chats.archive_chat(shop, chat.ArchiveChat({"key": key}, jid, False), token), typed(types.ArchiveChatResponse))
check("chat.mark_chat_unread", lambda: chats.mark_chat_unread(shop, chat.UnreadChat({"key": key}, jid), token), typed(types.UnreadChatResponse))
check("chat.fetch_profile_picture_url", lambda: chats.fetch_profile_picture_url(shop, chat.ProfilePicture(friend), token), typed(types.ProfilePictureResponse))
media_key = {"key": {"id": about["picture"]}}
check("chat.get_base64_from_media_message", lambda: chats.get_base64_from_media_message(shop, chat.MediaMessage(media_key), token), lambda a: typed(types.MediaMessageResponse)(a) and a["base64"] == about["picture_base64"])
mine = {"id": text["key"]["id"] if text else "", "remoteJid": jid, "fromMe": True}
check("chat.update_message", lambda: chats.update_message(shop, chat.UpdateMessage(friend, mine, "Hello again"), token), typed(types.EditedMessageResponse))
check("chat.send_presence", lambda: chats.send_presence(shop, chat.Presence(friend, 10, "composing"), token), typed(types.PresenceResponse))
check("chat.get_messages", lambda: chats.get_messages(shop, jid, token), lambda a: typed(types.ChatMessagesResponse)(a) and all(typed(types.MessageRecord)(r) for r in a["messages"]["records"]))

own = client.profile
check("profile.fetch_business_profile", lambda: own.fetch_business_profile(shop, profile.FetchProfile(friend), token), has("isBusiness"))
check("profile.fetch_profile", lambda: own.fetch_profile(shop, profile.FetchProfile(friend), token), has("wuid", "name", "numberExists"))
check("profile.update_profile_status", lambda: own.update_profile_status(shop, profile.ProfileStatus("Open"), token), done)
check("profile.update_profile_picture", lambda: own.update_profile_picture(shop, profile.ProfilePicture(f"{files}/picture.jpg"), token), done)
check("profile.remove_profile_picture", lambda: own.remove_profile_picture(shop, token), done)

groups = client.group
regulars = check("group.create_group", lambda: groups.create_group(shop, group.CreateGroup("Regulars", [friend], "All"), token), has("id", "subject", "participants"))
its = regulars["id"] if regulars else ""
check("group.update_group_picture", lambda: groups.update_group_picture(shop, its, group.GroupPicture(f"{files}/picture.jpg"), token), done)
check("group.update_group_subject", lambda: groups.update_group_subject(shop, its, group.GroupSubject("Friends"), token), done)
check("group.update_group_description", lambda: groups.update_group_description(shop, its, group.GroupDescription("Those who come"), token), done)
invite = check("group.get_invite_code", lambda: groups.get_invite_code(shop, its, token), has("inviteUrl", "inviteCode"))
check("group.get_invite_info", lambda: groups.get_invite_info(shop, invite["inviteCode"], token), lambda a: a["id"] == its)
check("group.send_invite", lambda: groups.send_invite(shop, group.GroupInvite(its, "Come", [friend]), token), lambda a: a["send"])
check("group.revoke_invite_code", lambda: groups.revoke_invite_code(shop, its, token), has("inviteCode"))
check("group.get_group_info", lambda: groups.get_group_info(shop, its, token), lambda a: a["size"] == 2)
check("group.fetch_all_groups", lambda: groups.fetch_all_groups(shop, token, True), lambda a: a[0]["participants"])
check("group.get_participants", lambda: groups.get_participants(shop, its, token), lambda a: len(a["participants"]) == 2)
check("group.update_participant", lambda: groups.update_participant(shop, its, group.UpdateParticipant("promote", [friend]), token), has("updateParticipants"))
check("group.update_setting", lambda: groups.update_setting(shop, its, group.UpdateSetting("announcement"), token), has("updateSetting"))
check("group.toggle_ephemeral", lambda: groups.toggle_ephemeral(shop, its, group.ToggleEphemeral(86400), token), lambda a: a["success"])
check("group.leave_group", lambda: groups.leave_group(shop, its, token), lambda a: a["leave"])
check("instance_operations.logout", lambda: operate.logout(shop, token), lambda a: a["status"] == "SUCCESS")
