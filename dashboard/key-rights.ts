import { html } from "hono/html"
import { KeyRights, type Rights } from "#contract/api-key.ts"
import type { ApiKey } from "#core/account/api-key.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { invalid, issuesOf } from "#core/error.ts"
import { type Html, options, field } from "./elements.ts"
import { textsOf } from "./form.ts"

/** Stands for all numbers, those of later included. No number has this name. */
const allNumbers = "*"

/** What people have chosen and typed of the rights of a key; lists with spaces between their parts. */
export type TypedRights = Record<"may" | "numbers" | "chats" | "hosts", string>

export function typedRights(form: Record<string, unknown>): TypedRights {
  const numbers = [form["numbers"] ?? []].flat().filter((one) => typeof one === "string")
  return { ...textsOf(form, "may", "chats", "hosts"), numbers: numbers.join(" ") }
}

/** @throws ApiError `invalid_request` */
export function rightsOf({ may, numbers, chats, hosts }: TypedRights): Rights {
  const named = partsOf(numbers) ?? []
  const isAll = named.includes(allNumbers)
  if (isAll ? named.length > 1 : named.length === 0)
    throw invalid([{ path: "customer_refs", message: "choose all numbers, or those that the key is for" }])
  const { success, data, error } = KeyRights.safeParse({
    scope: may === "all" ? "all" : "read",
    customer_refs: isAll ? undefined : named,
    chats: partsOf(chats),
    file_hosts: partsOf(hosts),
  })
  if (success) return data
  throw invalid(issuesOf(error).map(({ path, message }) => ({ path: path.replace(/\.\d+$/, ""), message })))
}

/** The parts of a list; undefined if it has none. */
function partsOf(list: string): string[] | undefined {
  const parts = list.split(/[\s,]+/).filter((part) => part !== "")
  return parts.length === 0 ? undefined : parts
}

/** From how many numbers on they can be searched. */
const fewNumbers = 8

/** The fields in which people choose what a key may do, and where. What may be much has to be chosen. */
export function rightsFields(
  all: Pick<Bridge.Info, "customerRef" | "shownName">[],
  { may, numbers, chats, hosts }: TypedRights,
): Html {
  const chosen = partsOf(numbers) ?? []
  const number = (value: string, words: string) =>
    options([[value, words]], chosen.includes(value) ? value : undefined)
  const free = { maxlength: 3000, spellcheck: "false" }
  return html`<div>
      <label for="may">What it may do</label>
      <select id="may" name="may" required>
        ${may === "" ? html`<option value="">choose what</option>` : ""}
        ${options(
          [
            ["read", "only read, without secrets"],
            ["all", "do everything"],
          ],
          may,
        )}
      </select>
    </div>
    <div>
      <label for="numbers">At which numbers</label>
      ${
        all.length < fewNumbers
          ? ""
          : html`<input
              class="needs-script"
              type="search"
              data-filters="numbers"
              aria-label="Search the numbers"
              placeholder="Search"
            />`
      }
      <select id="numbers" name="numbers" required multiple size="${Math.min(all.length + 1, 4)}">
        ${number(allNumbers, "all, and the account")}
        ${all.map(({ customerRef: ref, shownName }) => number(ref, `only ${ref}${shownName && `, ${shownName}`}`))}
      </select>
    </div>
    ${field("Only in these chats", { name: "chats", value: chats, placeholder: "all: phone numbers, or ids of groups", ...free })}
    ${field("Hosts of files that an agent sends unasked", { name: "hosts", value: hosts, placeholder: "none", ...free })}`
}

/** What a key may do, and where, in words. */
export function rightsInWords({ scope, bridges, chats, fileHosts }: ApiKey.Access): Html {
  const at = bridges?.map(
    ({ customerRef }, i) =>
      html`${i === 0 ? " at " : ", "}<a href="/numbers/${customerRef}">${customerRef}</a>`,
  )
  return html`${scope === "all" ? "everything" : "only read"}${at ?? ""}
  ${chats === undefined ? "" : html`<div class="small muted">only in <bdi>${chats.join(", ")}</bdi></div>`}
  ${fileHosts === undefined ? "" : html`<div class="small muted">files from <bdi>${fileHosts.join(", ")}</bdi></div>`}`
}
