import * as accountWebhook from "./account-webhook.ts"
import * as account from "./account.ts"
import * as apiKey from "./api-key.ts"
import * as bridgeLog from "./bridge-log.ts"
import * as bridge from "./bridge.ts"
import * as call from "./call.ts"
import * as channel from "./channel.ts"
import * as chat from "./chat.ts"
import * as contact from "./contact.ts"
import * as debug from "./debug-figures.ts"
import * as delivery from "./delivery.ts"
import * as group from "./group.ts"
import * as label from "./label.ts"
import * as message from "./message.ts"
import * as planned from "./planned.ts"
import * as presence from "./presence.ts"
import * as profile from "./profile.ts"
import * as requestLog from "./request-log.ts"
import type { proxy } from "./route-parts.ts"
import * as send from "./send.ts"
import * as session from "./session.ts"
import * as storedEvent from "./stored-event.ts"
import * as upload from "./upload.ts"
import * as usage from "./usage.ts"
import * as webhook from "./webhook.ts"

/** Every route of the API by name, grouped by subject, in the order of the reference. */
export const routes = {
  Bridges: {
    createBridge: bridge.createBridge,
    listBridges: bridge.listBridges,
    getBridge: bridge.getBridge,
    updateBridge: bridge.updateBridge,
    removeBridge: bridge.removeBridge,
    streamLogs: bridgeLog.streamLogs,
  },
  Session: {
    status: session.status,
    qr: session.qr,
    pair: session.pair,
    passkey: session.passkey,
    logout: session.logout,
    createLinkSession: session.createLinkSession,
  },
  Messages: {
    sendText: send.sendText,
    sendMedia: send.sendMedia,
    createUpload: upload.createUpload,
    sendReaction: send.sendReaction,
    sendPoll: send.sendPoll,
    sendLocation: send.sendLocation,
    sendEvent: send.sendEvent,
    sendContact: send.sendContact,
    sendForward: send.sendForward,
    sendStatus: send.sendStatus,
    sendTyping: send.sendTyping,
    getMessage: message.getMessage,
    findMessage: message.findMessage,
    listSent: message.listSent,
    revokeMessage: message.revokeMessage,
    deleteForMe: message.deleteForMe,
    editMessage: message.editMessage,
    pinMessage: message.pinMessage,
    unpinMessage: message.unpinMessage,
    readMessage: message.readMessage,
    messageMedia: message.messageMedia,
  },
  Planned: {
    listPlanned: planned.listPlanned,
    getPlanned: planned.getPlanned,
    changePlanned: planned.changePlanned,
    cancelPlanned: planned.cancelPlanned,
    createJob: planned.createJob,
    listJobs: planned.listJobs,
    getJob: planned.getJob,
    changeJob: planned.changeJob,
  },
  Chats: {
    listChats: chat.listChats,
    updateChat: chat.updateChat,
    clearChat: chat.clearChat,
    deleteChat: chat.deleteChat,
    getChatTimer: chat.getChatTimer,
    setChatTimer: chat.setChatTimer,
    listMessages: chat.listMessages,
    searchMessages: chat.searchMessages,
    askForOlder: chat.askForOlder,
    setHandover: chat.setHandover,
    listHandovers: chat.listHandovers,
  },
  Labels: {
    listLabels: label.listLabels,
    createLabel: label.createLabel,
    updateLabel: label.updateLabel,
    removeLabel: label.removeLabel,
    listLabelled: label.listLabelled,
    labelChat: label.labelChat,
    unlabelChat: label.unlabelChat,
  },
  Calls: { rejectCall: call.rejectCall },
  Contacts: {
    listContacts: contact.listContacts,
    checkContacts: contact.checkContacts,
    listBlocked: contact.listBlocked,
    getContact: contact.getContact,
    saveContact: contact.saveContact,
    forgetContact: contact.forgetContact,
    contactAvatar: contact.contactAvatar,
    blockContact: contact.blockContact,
    unblockContact: contact.unblockContact,
  },
  Groups: {
    listGroups: group.listGroups,
    createGroup: group.createGroup,
    lookAtInvite: group.lookAtInvite,
    joinGroup: group.joinGroup,
    getGroup: group.getGroup,
    updateGroup: group.updateGroup,
    leaveGroup: group.leaveGroup,
    groupAvatar: group.groupAvatar,
    setGroupAvatar: group.setGroupAvatar,
    removeGroupAvatar: group.removeGroupAvatar,
    addMembers: group.addMembers,
    removeMembers: group.removeMembers,
    promoteMembers: group.promoteMembers,
    demoteMembers: group.demoteMembers,
    getInvite: group.getInvite,
    revokeInvite: group.revokeInvite,
    listJoinRequests: group.listJoinRequests,
    approveRequests: group.approveRequests,
    rejectRequests: group.rejectRequests,
  },
  Channels: {
    listChannels: channel.listChannels,
    findChannel: channel.findChannel,
    getChannel: channel.getChannel,
    followChannel: channel.followChannel,
    unfollowChannel: channel.unfollowChannel,
    listPosts: channel.listPosts,
    createPost: channel.createPost,
    reactToPost: channel.reactToPost,
  },
  Profile: {
    getProfile: profile.getProfile,
    setAbout: profile.setAbout,
    setName: profile.setName,
    ownAvatar: profile.ownAvatar,
    setAvatar: profile.setAvatar,
    removeAvatar: profile.removeAvatar,
    profileQr: profile.profileQr,
    statusPrivacy: profile.statusPrivacy,
    getPrivacy: profile.getPrivacy,
    updatePrivacy: profile.updatePrivacy,
  },
  Presence: {
    setPresence: presence.setPresence,
    subscribePresence: presence.subscribePresence,
  },
  Events: {
    webhookLogs: delivery.webhookLogs,
    listEvents: storedEvent.listEvents,
    resendEvent: storedEvent.resendEvent,
    testWebhook: delivery.testWebhook,
    listDeliveries: delivery.listDeliveries,
    getDelivery: delivery.getDelivery,
    retryDelivery: delivery.retryDelivery,
    skipDelivery: delivery.skipDelivery,
    resendSince: delivery.resendSince,
    resendEverywhere: delivery.resendEverywhere,
    listWebhooks: webhook.listWebhooks,
    createWebhook: webhook.createWebhook,
    getWebhook: webhook.getWebhook,
    updateWebhook: webhook.updateWebhook,
    removeWebhook: webhook.removeWebhook,
    rollSecret: webhook.rollSecret,
    finishSecret: webhook.finishSecret,
    listAccountWebhooks: accountWebhook.listAccountWebhooks,
    createAccountWebhook: accountWebhook.createAccountWebhook,
    getAccountWebhook: accountWebhook.getAccountWebhook,
    updateAccountWebhook: accountWebhook.updateAccountWebhook,
    rollAccountSecret: accountWebhook.rollAccountSecret,
    finishAccountSecret: accountWebhook.finishAccountSecret,
    removeAccountWebhook: accountWebhook.removeAccountWebhook,
  },
  Account: {
    getAccount: account.getAccount,
    getUsage: usage.getUsage,
    listRequests: requestLog.listRequests,
    createKey: apiKey.createKey,
    listKeys: apiKey.listKeys,
    removeKey: apiKey.removeKey,
  },
  Debug: { healthz: debug.healthz, debugStats: debug.debugStats },
} as const

type Names<Group> = Group extends unknown ? keyof Group : never
type Every = Intersection<(typeof routes)[keyof typeof routes]>
type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

export type RouteName = Names<(typeof routes)[keyof typeof routes]>
export type RouteNamed<Name extends RouteName> = Every[Name]

/** The routes that a bridge's session host answers. The API itself answers the others. */
export type HostRoute = Exclude<
  {
    [Name in RouteName]: RouteNamed<Name>["path"] extends `${typeof proxy}/${string}` ? Name : never
  }[RouteName],
  "webhookLogs" | "findMessage"
>
