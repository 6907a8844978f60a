import * as bridge from "./bridge.ts"
import * as call from "./call.ts"
import * as contact from "./contact.ts"
import * as debug from "./debug.ts"
import * as delivery from "./delivery.ts"
import * as group from "./group.ts"
import * as log from "./log.ts"
import * as message from "./message.ts"
import * as presence from "./presence.ts"
import * as privacy from "./privacy.ts"
import * as profile from "./profile.ts"
import * as session from "./session.ts"

/** Every route of the API, by what it is about, in the order of the specification. */
export const routes = {
  Bridges: [
    bridge.createBridge,
    bridge.listBridges,
    bridge.getBridge,
    bridge.updateBridge,
    bridge.removeBridge,
    log.streamLogs,
  ],
  Session: [session.status, session.qr, session.pair, session.logout],
  Messages: [
    message.sendText,
    message.sendMedia,
    message.sendReaction,
    message.sendPoll,
    message.sendLocation,
    message.sendEvent,
    message.sendTyping,
    message.revokeMessage,
    message.editMessage,
    message.readMessage,
    message.messageMedia,
  ],
  Calls: [call.rejectCall],
  Contacts: [
    contact.listContacts,
    contact.checkContacts,
    contact.getContact,
    contact.contactAvatar,
    group.getGroup,
  ],
  Profile: [
    profile.getProfile,
    profile.setAbout,
    profile.ownAvatar,
    profile.setAvatar,
    profile.removeAvatar,
    profile.profileQr,
    privacy.statusPrivacy,
  ],
  Presence: [presence.setPresence, presence.subscribePresence],
  Events: [delivery.webhookLogs, delivery.listEvents, delivery.resendEvent, delivery.testWebhook],
  Debug: [debug.healthz, debug.debugStats],
} as const
