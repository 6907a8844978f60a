import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { createLinkSession } from "#contract/session.ts"
import { AccountName } from "#core/account/account-name.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Brand } from "#core/account/brand.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { type ApiError, invalid, issuesOf } from "#core/error.ts"
import { originOf } from "#functions/http/address.ts"
import { numberPage } from "../answer.ts"
import { did } from "../audit-log.ts"
import {
  checkbox,
  codeBlock,
  confirming,
  facts,
  type Html,
  note,
  buttonForm,
  urlField,
  field,
} from "../elements.ts"
import { noticeOf, textsOf, typedIn } from "../form.ts"
import { askOwners, type DashboardEnv, viewerRefusal } from "../guard.ts"
import { makerOf } from "../keys.ts"
import { until } from "../times.ts"
import { logoAnswer, lookCard, styleOf } from "./link-page-look.ts"

const Wishes = createLinkSession.request.body.content["application/json"].schema

/**
 * Making a page on which a person without an account links their phone to a number, and how all such pages of
 * the account look.
 */
export const newLinkPage = new Hono<DashboardEnv>()
  .get("/numbers/:ref/link-page", async (c) => await show(c))
  .post("/numbers/:ref/link-page", async (c) => {
    const typed = await typedIn(c, "phone", "return_url", "lasting", "embed_at")
    return await done(c, typed, async () => {
      const wishes = Wishes.safeParse({
        expected_phone: typed.phone.replaceAll(/[\s()./-]/g, "") || undefined,
        return_url: typed.return_url.trim() || undefined,
        lasting: typed.lasting === "on" || undefined,
        embed_at: typed.embed_at.trim().replace(/\/$/, "") || undefined,
      })
      if (!wishes.success) throw invalid(issuesOf(wishes.error))
      const { expected_phone: expectedPhone, return_url: returnUrl, lasting: isLasting } = wishes.data
      const { embed_at: embedAt } = wishes.data
      const { token, expiresAt } = await LinkSession.create(c.var.bridge, {
        expectedPhone,
        returnUrl,
        isLasting,
        embedAt,
        madeBy: c.var.me.person.email,
      })
      await did(c, "link_made", c.var.bridge.customerRef)
      return html`${note(
        "good",
        isLasting
          ? "Give this address to the person whose phone it is. Its page stays until another one of this number is made."
          : html`Give this address to the person whose phone it is. Its page works once, for
            ${until(expiresAt * 1000)}, and ends every earlier one of this number.`,
      )}
      ${codeBlock(`${originOf(c)}/link/${token}`, "The address of the link page")}
      ${embedAt === undefined ? "" : codeBlock(`<iframe src="${originOf(c)}/link/${token}" title="Link your phone"></iframe>`, "The page in a frame")}`
    })
  })
  .post("/numbers/:ref/link-page/end", async (c) => {
    await LinkSession.end(c.var.bridge.id)
    await did(c, "link_ended", c.var.bridge.customerRef)
    return await show(c, {}, note("good", "The link page has ended."))
  })
  .get("/numbers/:ref/link-page/style.css", async (c) => {
    const { colour } = await Brand.get(c.var.accountId)
    return c.body(styleOf(colour, ".preview"), 200, { "content-type": "text/css" })
  })
  .get("/numbers/:ref/link-page/logo", async (c) => logoAnswer(c, await Brand.get(c.var.accountId)))
  .post("/numbers/:ref/link-page/look", async (c) => {
    const form = await c.req.parseBody()
    const { colour, own, no_logo: none } = textsOf(form, "colour", "own", "no_logo")
    return await done(c, {}, async () => {
      const file = form.logo instanceof File && form.logo.size > 0 ? form.logo : undefined
      const logo = file
        ? new Uint8Array(await file.arrayBuffer())
        : none === ""
          ? undefined
          : new Uint8Array()
      await Brand.choose(c.var.accountId, own === "" ? "" : colour, logo)
      await did(c, "link_pages_changed")
      return note("good", "Saved. Link pages look so from now on, also those that are open already.")
    })
  })

interface Typed {
  phone?: string
  return_url?: string
  lasting?: string
  embed_at?: string
}

/** Calls `act`, and shows what it says, or why it failed, with what was typed. */
async function done(c: Context<DashboardEnv>, typed: Typed, act: () => Promise<Html>) {
  const { notice, status } = await noticeOf(act)
  return await show(c, status ? typed : {}, notice, status)
}

async function show(c: Context<DashboardEnv>, typed: Typed = {}, notice?: Html, status?: ApiError["status"]) {
  const { bridge, me } = c.var
  const at = `/numbers/${bridge.customerRef}/link-page`
  const content = !me.mayChange
    ? note("info", await askOwners(c, viewerRefusal))
    : html`${making(at, typed)}
      ${openLink(at, await LinkSession.ofBridge(bridge.id), await ApiKey.list(me.account.id))}
      ${lookCard({ at, name: AccountName.toStrangers(me.account), isSandbox: bridge.isSandbox }, await Brand.get(me.account.id))}`
  const body = html`${notice ?? ""} ${content}`
  return await numberPage(c, "connect", { title: `A link page for ${bridge.customerRef}`, body, status })
}

function making(at: string, typed: Typed): Html {
  const { phone = "", return_url: url = "", lasting = "", embed_at: site = "" } = typed
  return html`<section class="card">
    <header>
      <h2>Have somebody else link their phone</h2>
      <p>
        They get a page of their own, in their language, without an account here. Whoever has its address can
        link a phone to this number.
      </p>
    </header>
    <form method="post" action="${at}">
      ${field(html`Only the phone with this number <span class="muted">(optional)</span>`, {
        name: "phone",
        type: "tel",
        value: phone,
        placeholder: "+49 171 1234567",
      })}
      ${urlField(html`Where to send them afterwards <span class="muted">(optional)</span>`, {
        name: "return_url",
        value: url,
        placeholder: "https://example.com/linked",
      })}
      ${field(html`Site that may show it in a frame <span class="muted">(optional)</span>`, {
        name: "embed_at",
        value: site,
        placeholder: "https://shop.example",
      })}
      ${checkbox("lasting", undefined, lasting === "on", "It stays: it shows whether the phone is linked, and links it again")}
      <div class="row"><button class="button main">Make a link page</button></div>
    </form>
  </section>`
}

/** The link page that was made last, while it is open. */
function openLink(at: string, session: LinkSession.Info | undefined, keys: ApiKey.Info[]): Html | string {
  if (!session) return ""
  const { madeBy, expiresAt, expectedPhone, isUsed, isLasting, embedAt } = session
  return html`<section class="card">
    <header>
      <h2>The present link page</h2>
      <p>A number has one at a time: a new one ends this one. Its address was shown once.</p>
    </header>
    ${facts([
      ["Made by", html`<bdi>${madeBy === undefined ? "the API" : makerOf(madeBy, keys)}</bdi>`],
      [
        "Phone",
        expectedPhone === undefined ? "any" : `the one whose number ends in ${expectedPhone.slice(-4)}`,
      ],
      ["In a frame of", embedAt],
      isLasting
        ? ["Works", "until another is made"]
        : [isUsed ? "Used; it says so for" : "Works for", html`${until(expiresAt * 1000)} more`],
    ])}
    ${confirming({
      label: "End this link page",
      about: "Anybody who opens it reads that it is over. A phone that is linked already stays linked.",
      act: buttonForm({ action: `${at}/end`, label: "End it now", kind: "danger" }),
      kind: "danger",
    })}
  </section>`
}
