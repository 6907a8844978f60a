import { isGroup } from "#core/message/jid.ts"
import type { Connection } from "../network/connection.ts"
import type { Acquaintance, Happening } from "../network/happening.ts"
import { newAppState } from "./app-state/app-state.ts"
import { dial, type DialInput } from "./dial.ts"
import { endIfSilent } from "./end-if-silent.ts"
import { newLifetime } from "./lifetime.ts"
import { attachListeners } from "./listeners.ts"
import { removeDevice } from "./login/logout.ts"
import { newPasskeyLink } from "./login/passkey.ts"
import { newNetworkClock } from "./network-clock.ts"
import { installRepairs } from "./patches/install.ts"
import { newQuestions } from "./questions/questions.ts"
import { newCallers } from "./questions/reject-call.ts"
import { newRestrictionsQuestions } from "./questions/restrictions.ts"
import { reportUnknownName } from "./receive/unknown.ts"
import { type Addressing, newAddressing } from "./send/addressing.ts"
import { keepTimer, timerOf } from "./send/disappearing-timers.ts"
import { mayWrite } from "./send/group-cache.ts"
import { newSendToMissed } from "./send/missed-devices.ts"
import { findGroup } from "./send/recipient-devices.ts"
import { newSenderKeys } from "./send/renew-sender-key.ts"
import { outsideOfContext } from "./send/transmission.ts"
import { newSender, newSendAgain, newSendStatusAgain, type SendInput } from "./send/transmit.ts"
import { newShowAsAvailable } from "./show-as-available.ts"
import type { Recorder } from "./stanza-recorder.ts"

export interface ConnectInput extends DialInput {
  /** How long the network may be silent before the connection counts as dead. */
  deadMs: number
  /** Gets every frame that comes in. */
  record?: Recorder
  onHappening: (happening: Happening) => void
}

/**
 * Dials. Everything after that is reported by `onHappening`, in order. A vault has one connection at a time:
 * the next may begin only when all changes that this one handed to `change` are made.
 */
export function connect(input: ConnectInput): Connection {
  installRepairs()
  // A session may dial again in the course of a send that has lost its connection.
  return outsideOfContext(() => open(input))
}

function open(input: ConnectInput): Connection {
  const lifetime = newLifetime(input.onHappening)
  const dialled = dial(input, lifetime)
  const { sock, creds, keys, groups, answerOrEnd, log, warn } = dialled
  const reportPeople = (people: Acquaintance[]) => {
    if (people.length > 0) lifetime.emit({ kind: "people", people })
  }

  const groupOf = (group: string) => answerOrEnd(findGroup({ groups, sock: () => sock }, group))
  const availability = newShowAsAvailable(sock, creds, warn("presence was not shown"))
  const calls = newCallers()
  const questions = newQuestions({ ...dialled, availability, calls, reportPeople, groupOf })
  const restrictions = newRestrictionsQuestions({
    ask: questions.ask,
    onNotice: (notice) => lifetime.emit({ kind: "notice", notice }),
    onUnknown: () => reportUnknownName("iq/result/restrictions", input.log),
    onError: warn("whether this account may begin chats, or how many more, is not known"),
  })
  const appState = newAppState({ ...dialled, mediaHost: () => questions.mediaHost() })
  const addressing = newAddressing(dialled)
  const passkey = newPasskeyLink({ ...dialled, onError: warn("a step of linking with a passkey failed") })
  const sending = sendInputOf(dialled, addressing, restrictions)
  const sender = newSender(sending)
  const silence = endIfSilent(lifetime, dialled.frames, input.deadMs)
  const clock = newNetworkClock()
  attachListeners({
    ...dialled,
    passkey,
    silence,
    clock,
    calls,
    addressing,
    appState,
    availability,
    restrictions,
    sendStatusAgain: newSendStatusAgain(sending),
    sendAgain: newSendAgain(sending),
    reportPeople,
    record: input.record,
    operatorsLog: input.log,
  })

  return {
    ...questions,
    networkTime: clock.now,
    ...appState.ofAccount,
    showName: (name) => answerOrEnd(sock.sendNode({ tag: "presence", attrs: { name } })),
    keepTimer: (chat, seconds) => keepTimer(chat, seconds, keys),
    answerPasskey: (assertion) => answerOrEnd(passkey.answer(assertion)),
    send(message, isRepeat = false) {
      // From now on the network owes an answer.
      silence.asked()
      return sender(message, isRepeat)
    },
    isInGroup: async (group) => (await groupOf(group)) !== undefined || !groups.isForeign(group),
    mayWriteIn: async (group) => mayWrite(await groupOf(group), creds.me),
    async timerOf(chat) {
      if (!isGroup(chat)) return await timerOf(chat, keys)
      const seconds = (await groupOf(chat))?.ephemeralDuration
      return seconds ? { seconds } : undefined
    },
    isByLid: async (chat) => isGroup(chat) && (await groupOf(chat))?.addressingMode === "lid",
    async logout() {
      // The network may end the connection before it has answered.
      if (lifetime.isOpen && creds.me) await answerOrEnd(removeDevice(sock, creds.me.id, log)).catch(() => {})
      lifetime.end({ reason: "logged_out", detail: "logged out" })
    },
    close: () => lifetime.end(),
  }
}

function sendInputOf(
  dialled: ReturnType<typeof dial>,
  { addressOf, otherNameOf }: Addressing,
  restrictions: ReturnType<typeof newRestrictionsQuestions>,
): SendInput {
  const { creds, groups, lifetime, sock, warn } = dialled
  const me = () => creds.me
  return {
    ...dialled,
    addressOf,
    otherNameOf,
    senderKeys: newSenderKeys({ ...dialled, me, sock: () => sock }),
    me,
    keep: (outgoing) => dialled.changeVault({ outgoing }),
    isOpen: () => lifetime.isOpen,
    onRefused: (chat, networkCode) => {
      groups.forget(chat)
      restrictions.afterRefusal(networkCode)
    },
    missed: newSendToMissed({ ...dialled, me }),
    onError: warn("devices that a message has missed did not get it"),
  }
}
