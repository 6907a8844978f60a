import { setTimeout as sleep } from "node:timers/promises"
import { Unexpected } from "#one-machine/api-client.ts"
import { LinkedNumber, type Place } from "./number.ts"

/** A machine on which the page is followed. */
export interface Tried extends Place {
  publicUrl: string
  /** Runs a command of the page. @returns what it printed @throws Unexpected when it fails */
  run: (command: string) => Promise<string>
  /** The commits whose code is there. */
  releases: string[]
  /** Makes a newer commit of the same code, which an upgrade brings. */
  publish: () => Promise<void>
  close: () => Promise<void>
}

interface About {
  machine: Tried
  /** Once it is linked. */
  number?: LinkedNumber
}

/** What the page promises of a command that contains these words. The first that fits is looked at. */
const looks: Record<string, (said: string, about: About) => unknown> = {
  "apt-get install": () => {},
  "git clone": () => {},
  "one-machine/install https": async (said, { machine }) => {
    must(!said.includes("EBADENGINE"), said)
    await isServed(machine)
  },
  "admin doctor": (said) => must(!said.includes("=bad"), said),
  "admin login-link": async (said, { machine }) => await signsIn(machine, said),
  "systemctl restart": async (_said, about) => {
    about.number = await LinkedNumber.link(about.machine)
  },
  "/readyz": (said) => must(said.includes('"ok":true'), said),
  "/metrics": (said) => must(said.includes("# TYPE bridge_sessions_up gauge"), said),
  journalctl: (said) => must(said.includes("request answered"), said),
  "admin backup make": (said) => must(said.includes(".backup"), said),
  "admin backup list": async (said, { machine, number }) => {
    must(said.includes(".backup"), said)
    const refused = machine.run("sudo /opt/messaging-bridge/one-machine/restore /etc/hostname")
    must(
      await refused.then(
        () => false,
        () => true,
      ),
      "what is no backup was restored",
    )
    await number!.receives("after a restore that was refused")
  },
  MOVE_PASSPHRASE: () => {},
  "admin export": async (said, { number }) => {
    must(said.includes("moved="), said)
    await number!.isRefused("bridge_moved")
  },
  "admin import": (said) => must(said.includes("imported="), said),
  "admin undo-import": (said) => must(said.includes("none"), said),
  "admin take-back": async (said, { number }) => {
    must(said.includes("taken_back="), said)
    await number!.receives("after it was taken back")
  },
  "one-machine/restore": async (said, { machine, number }) => {
    must(said.includes("restored="), said)
    await number!.receives("after the restore")
    await machine.publish()
  },
  "git -C": (said) => must(said.includes("Fast-forward") || said.includes("Updating"), said),
  "one-machine/install": async (_said, { machine, number }) => {
    must(machine.releases.length === 1, `the code of ${machine.releases.join()} is there`)
    await number!.receives("after the upgrade")
  },
}

/** The look at what a command has done; undefined for a command without one. */
export function lookAfter(command: string) {
  return Object.entries(looks).find(([words]) => command.includes(words))?.[1]
}

export function must(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Unexpected(otherwise)
}

/**
 * Asks for a page over https, again and again, as long as `work` takes.
 * @returns what was answered, and the longest wait @throws Unexpected when an answer was not 200
 */
export async function isServedDuring(place: Place, work: () => Promise<unknown>): Promise<string> {
  let [answers, longestMs, isOver] = [0, 0, false]
  const asking = async () => {
    for (; !isOver; answers++) {
      const began = performance.now()
      const { status } = await place.ask("/api/openapi.json")
      must(status === 200, `after ${answers} answers Caddy answered ${status}`)
      longestMs = Math.max(longestMs, performance.now() - began)
      await sleep(200)
    }
  }
  await Promise.all([asking(), work().finally(() => (isOver = true))])
  return `Caddy answered ${answers} times 200, the latest after ${Math.round(longestMs)} ms`
}

/**
 * The service answers over https, counts callers by their true address, and shows nothing of the operator's
 * to the public.
 */
async function isServed(machine: Tried): Promise<void> {
  const answer = await machine.ask("/healthz", { headers: { "x-forwarded-for": "198.51.100.1" } })
  must(answer.ok && answer.headers.get("strict-transport-security") !== null, "/healthz over https")
  const next = await machine.ask("/healthz", { headers: { "x-forwarded-for": "198.51.100.2" } })
  const [before, left] = [answer, next].map(({ headers }) => Number(headers.get("ratelimit-remaining")))
  must(left! < before!, `a caller chose the address that it is counted by: ${before}, then ${left}`)
  for (const path of ["/metrics", "/readyz"])
    must((await machine.ask(path)).status === 404, `${path} is open to everybody`)
}

/** Opens the link and presses its button, as a browser does. */
async function signsIn(machine: Tried, said: string): Promise<void> {
  const { pathname, origin } = new URL(/link=(\S+)/.exec(said)![1]!)
  must(origin === machine.publicUrl, `the link leads to ${origin}`)
  const pressed = await machine.ask(pathname, { method: "POST", headers: { origin } })
  const cookie = pressed.headers.getSetCookie().find((one) => one.startsWith("__Host-session="))
  must(cookie !== undefined, `the link is answered ${pressed.status} without a cookie of this host`)
  const page = await machine.ask("/", { headers: { cookie: cookie!.split(";")[0]! } })
  must(page.ok, `the dashboard is answered ${page.status}`)
}
