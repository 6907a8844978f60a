import { press } from "#test/support/service/walk.ts"
import { post } from "./post-form.ts"
import { nowhere } from "./silent-host.ts"
import type { State } from "./state.ts"
import { from, people } from "./world.ts"

const { baker } = people

/** In place of a page. */
export const errors: State[] = [
  { name: "error-404", reach: () => "/nothing-here", reads: "There is nothing here" },
  { name: "error-404-number", as: baker, reach: () => "/numbers/none", reads: "This number does not exist" },
  {
    name: "error-503",
    as: baker,
    reach: async ({ base, silent, bakery }, page) => {
      await silent.hold(bakery.id, "unreachable", nowhere)
      await page.goto(`${base}/keys`)
      await post(page, "/numbers/unreachable/groups/120363000000000001@g.us/leave")
    },
    reads: "That did not work",
  },
  {
    name: "sign-in-too-many-mails",
    reach: async ({ base }, page) => {
      const headers = { ...from, origin: base }
      for (let i = 0; i < 10; i++) {
        const body = new URLSearchParams({ email: `asker-${i}@example.com` })
        await fetch(`${base}/sign-in`, { method: "POST", headers, body, redirect: "manual" })
      }
      await page.goto(`${base}/sign-in`)
      await page.locator("#email").fill("one-more@example.com")
      await press(page, "Get a code")
    },
    reads: "Too many codes were asked for",
  },
  {
    name: "error-429",
    reach: async ({ base, bakery }, page) => {
      await bakery.bridge("sent")
      const made = await bakery.call("POST", "/instances/sent/link-sessions", {})
      const { url } = (await made.json()) as { url: string } // as the contract says
      await page.goto(base + new URL(url).pathname)
      await press(page, "Report this page")
    },
    reads: "Too much at once",
  },
]
