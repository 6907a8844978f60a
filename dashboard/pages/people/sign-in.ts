import { html } from "hono/html"
import { emailField, type Html, note } from "../../elements.ts"

/** Asks for the address. */
export function askAddress(input: {
  email: string
  next: string
  problem?: string
  isAgain?: boolean
  /** Where the script for passkeys is. */
  script: string
}): Html {
  return html`<div class="card">
    <header>
      <h1>${input.isAgain ? "Confirm that it is you" : "Sign in"}</h1>
      <p>
        ${
          input.isAgain
            ? "What you are about to see or do needs a sign-in from the last ten minutes. Nothing was done yet: you come back to do it."
            : "We mail you a code. A new address becomes a new account, with a sandbox to try everything in."
        }
      </p>
    </header>
    ${input.problem ? note("bad", input.problem) : ""}
    <form method="post" action="/sign-in">
      <input type="hidden" name="next" value="${input.next}" />
      ${emailField({
        label: "E-mail address",
        value: input.email,
        placeholder: "you@example.com",
        autocomplete: "username webauthn",
        more: input.problem ? "aria-invalid=true" : "autofocus",
      })}
      <button class="button main wide">Mail me a code</button>
    </form>
    <div class="stack" data-passkey="use" data-next="${input.next}" hidden>
      <p class="or">or</p>
      <button class="button wide" type="button">Sign in with a passkey</button>
      <p class="small" role="alert" data-said></p>
    </div>
    <script src="${input.script}" type="module"></script>
  </div>`
}

/** Asks for the code that was mailed. */
export function askCode(input: { email: string; next: string; problem?: string; isKept: boolean }): Html {
  return html`<div class="card">
    <header>
      <h1>${input.isKept ? "Type your code" : "Look into your mail"}</h1>
      <p>
        ${
          input.isKept
            ? html`There is a code and a link for <b>${input.email}</b>.`
            : html`A code and a link are on their way to <b>${input.email}</b>.`
        }
        Both work once, within 15 minutes.
      </p>
    </header>
    ${input.problem ? note("bad", input.problem) : ""}
    ${
      input.isKept
        ? note(
            "info",
            html`This service sends no mail. The code is in the terminal of <code>npm start</code>, and its
              operator finds it under <a href="/dev/mail" target="_blank">Mail</a>.`,
          )
        : ""
    }
    <form method="post" action="/sign-in/code">
      <input type="hidden" name="next" value="${input.next}" />
      <input type="hidden" name="email" value="${input.email}" />
      <div>
        <label for="code">Code</label>
        <input
          id="code"
          name="code"
          class="code-input"
          required
          maxlength="20"
          autocomplete="one-time-code"
          autocapitalize="characters"
          spellcheck="false"
          placeholder="XXXX-XXXX"
          data-whole
          autofocus
        />
      </div>
      <button class="button main wide">Sign in</button>
    </form>
    <p class="small muted">
      Nothing came? <a href="/sign-in">Use another address, or ask for a new code.</a>
    </p>
  </div>`
}

/** A link was opened. Programs that look at mails open links, too, so a person has to press a button. */
export function confirmLink(input: { email: string; token: string; isPrinted: boolean }): Html {
  return html`<div class="card">
    <header>
      <h1>Sign in</h1>
      <p>This link signs in <b>${input.email}</b>, in this browser.</p>
    </header>
    <form method="post" action="/sign-in/link/${input.token}" ${input.isPrinted ? "data-go" : ""}>
      <button class="button main wide">Sign in</button>
    </form>
  </div>`
}

/** A link that does not work any more. */
export function deadLink(): Html {
  return html`<div class="card">
    <header>
      <h1>This link has been used, or is too old</h1>
      <p>A link works once: a mailed one for 15 minutes, a printed one for a day.</p>
    </header>
    <div class="row"><a class="button main" href="/sign-in">Ask for a new one</a></div>
  </div>`
}

/** The mails that were kept instead of sent. */
export function mails(all: readonly { to: string; subject: string; text: string; at: Html }[]): Html {
  if (all.length === 0)
    return html`<div class="card empty">
      <h2>No mail yet</h2>
      <p>This service sends no mail. Its mails are kept here until it ends.</p>
    </div>`
  return html`<ul class="feed card flush">
    ${all.map(
      (mail) =>
        html`<li>
          <details open>
            <summary>
              <b>${mail.subject}</b> <span class="about muted">to ${mail.to}</span> ${mail.at}
            </summary>
            <div class="more"><pre tabindex="0" aria-label="The mail">${mail.text}</pre></div>
          </details>
        </li>`,
    )}
  </ul>`
}
