import type { Context } from "hono"
import { html } from "hono/html"
import type { Brand } from "#core/account/brand.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { ApiError } from "#core/error.ts"
import { checkbox, type Html } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { span } from "../times.ts"
import { dashboardWords } from "./link-words.ts"
import { introduction, titleOf } from "./linking-cards.ts"

/** Gives what `where` selects the account's own colour. */
export function styleOf(colour: string, where: string): string {
  if (colour === "") return ""
  const tokens = `--accent: ${colour}; --ink: ${colour}; --on-ink: #fff`
  // On the dark page the colour would be too dark to read.
  return `@media (prefers-color-scheme: light) { ${where} { ${tokens} } }`
}

/** @throws ApiError `not_found` without a logo */
export function logoAnswer(c: Context<DashboardEnv>, { logo }: Partial<Brand.Info>): Response {
  if (!logo) throw new ApiError("not_found")
  return c.body(new Uint8Array(logo.bytes), 200, { "content-type": logo.type })
}

/** Where a page at this path finds its style and its logo. */
export function brandAt(at: string, { colour, logo }: Brand.Info) {
  return { style: colour === "" ? undefined : `${at}/style.css`, logo: logo && `${at}/logo` }
}

/** Where the look is changed, and whom the pages name. */
interface Place {
  at: string
  name: string | undefined
  isSandbox: boolean
}

/** How a link page looks with the colour and the logo that are saved. */
function preview({ at, name, isSandbox }: Place, { colour, logo }: Brand.Info): Html {
  return html`${colour === "" ? "" : html`<link rel="stylesheet" href="${at}/style.css" />`}
    <figure class="preview" aria-label="How it looks now">
      ${logo ? html`<img class="logo" src="${at}/logo" alt="Your logo" />` : ""}
      <p class="part">${titleOf(name, dashboardWords)}</p>
      ${introduction({ name, isSandbox, time: span(LinkSession.livesFor * 1000), words: dashboardWords })}
      <span class="button main">${dashboardWords.getCode}</span>
      <span class="button bare">${dashboardWords.report}</span>
    </figure>`
}

/** The card in which an account chooses how its link pages look. */
export function lookCard(place: Place, { colour, logo }: Brand.Info): Html {
  const { at, name } = place
  return html`<section class="card">
    <header>
      <h2>How these pages look</h2>
      <p>
        ${
          name === undefined
            ? html`They name nobody: give your <a href="/account">account</a> a name.`
            : html`They say that a phone is linked for <b><bdi>${name}</bdi></b
                >, as your <a href="/account">account</a> is named.`
        }
        The look is the same for all numbers.
      </p>
    </header>
    ${preview(place, { colour, logo })}
    <form method="post" action="${at}/look" enctype="multipart/form-data">
      ${checkbox("own", "yes", colour !== "", "A colour of your own")}
      <div class="if-ticked">
        <label for="colour">Colour, on light screens: dark enough for white text</label>
        <input id="colour" name="colour" type="color" value="${colour || "#1f56d6"}" />
      </div>
      <div>
        <label for="logo">Logo: PNG, JPEG or WebP, at most 48 KB</label>
        <input id="logo" name="logo" type="file" accept="image/png,image/jpeg,image/webp" />
      </div>
      ${logo ? checkbox("no_logo", "yes", false, "Take the logo away") : ""}
      <div class="row"><button class="button">Save the look</button></div>
    </form>
  </section>`
}
