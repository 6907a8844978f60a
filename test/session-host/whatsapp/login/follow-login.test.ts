import { type AuthenticationCreds, initAuthCreds } from "@whiskeysockets/baileys"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { Happening } from "#session-host/network/happening.ts"
import { newLifetime } from "#session-host/whatsapp/lifetime.ts"
import { followLogin } from "#session-host/whatsapp/login/follow-login.ts"
import { newCodes } from "#session-host/whatsapp/login/qr.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A connection that links a phone. Each step shows a code, as Baileys does every 20 s. */
function aLinking() {
  const happenings: Happening["kind"][] = []
  const lifetime = newLifetime(({ kind }) => void happenings.push(kind))
  const creds: AuthenticationCreds = initAuthCreds()
  const login = followLogin({
    creds,
    lifetime,
    passkey: { isAsked: false },
    codes: newCodes(),
    commitCreds: () => {},
    onOpen: () => {},
  })
  const show = (ref: string) => {
    login.onUpdate({ qr: `https://wa.me/settings/linked_devices#${ref},a,b,c,1` })
    vi.advanceTimersByTime(20_000)
  }
  return { creds, happenings, lifetime, show }
}

test("a connection ends when its codes are spent", () => {
  const { lifetime, show, happenings } = aLinking()
  for (const ref of ["one", "two", "spare"]) show(ref)
  expect(lifetime.isOver).toBe(true)
  expect(happenings).toEqual(["qr", "qr", "closed"])
})

test("a code that is typed lives for three minutes, also when the codes to scan are spent before", () => {
  const { creds, lifetime, show } = aLinking()
  show("one")
  creds.pairingCode = "ABCD2345"
  for (let seconds = 0; seconds < 180; seconds += 20) {
    show("spare")
    expect([seconds, lifetime.isOver]).toEqual([seconds, false])
  }
  show("spare")
  expect(lifetime.isOver).toBe(true)
})
