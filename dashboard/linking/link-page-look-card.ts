import { html } from "hono/html"
import type { Brand } from "#core/account/brand.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import type { Html } from "../elements.ts"
import { span } from "../times.ts"
import { dashboardWords } from "./link-words.ts"
import { introduction, titleOf } from "./linking-cards.ts"

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
      <label class="choice"
        ><input type="checkbox" name="own" value="yes" ${colour === "" ? "" : "checked"} /> A colour of your
        own</label
      >
      <div class="if-ticked">
        <label for="colour">Colour, on light screens: dark enough for white text</label>
        <input id="colour" name="colour" type="color" value="${colour || "#1f56d6"}" />
      </div>
      <div>
        <label for="logo">Logo: PNG, JPEG or WebP, at most 48 KB</label>
        <input id="logo" name="logo" type="file" accept="image/png,image/jpeg,image/webp" />
      </div>
      ${
        logo
          ? html`<label class="choice"
              ><input type="checkbox" name="no_logo" value="yes" /> Take the logo away</label
            >`
          : ""
      }
      <div class="row"><button class="button">Save the look</button></div>
    </form>
  </section>`
}
