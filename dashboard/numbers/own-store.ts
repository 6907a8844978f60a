import { join } from "node:path"
import { html } from "hono/html"
import { MediaStore } from "#contract/media-store.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import type { Choice } from "#core/bridge/choice.ts"
import { MediaStore as KeptStore } from "#core/bridge/media-store.ts"
import { ApiError, invalid } from "#core/error.ts"
import { CustomerBucket } from "#core/files/customer-bucket.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { buttonForm, confirming, field, type Html, selectField } from "../elements.ts"

// The card "Your own S3" in a number's settings.

const links = [
  ["presigned", "With a link that is good for seven days"],
  ["key", "With the file's key alone"],
] as const

/** The fields that the page shows again as they were typed. The secret is not among them. */
export const storeFields = ["endpoint", "bucket", "region", "prefix", "link", "access_key_id"] as const
type Typed = Partial<Record<(typeof storeFields)[number] | "secret_access_key", string>>

/** The choice in the form. @throws ApiError `invalid_request` */
export function storeIn(typed: Typed): MediaStore {
  const given = Object.entries(typed).filter(([, value]) => value.trim() !== "")
  const found = MediaStore.safeParse(Object.fromEntries(given.map(([name, value]) => [name, value.trim()])))
  if (found.success) return found.data
  throw invalid(found.error.issues.map(({ path, message }) => ({ path: path.join("."), message })))
}

/** How long a store has for the file of a try, in ms. */
const triedWithinMs = 8000

/** Puts a small file into the number's store. @returns its key. @throws ApiError with the store's own word */
export async function tryStore(bridge: Bridge.Info, { mediaStore }: Choice.Info): Promise<string> {
  if (!mediaStore) throw new ApiError("invalid_request", "no bucket is chosen")
  const store = KeptStore.opened(mediaStore, bridge.id, await Bridge.deliveryKeyOf(bridge))
  const key = `${store.prefix}try.txt`
  const work = async (folder: string) => {
    const path = join(folder, "try")
    await FilesOnDisk.write(path, 100, [Buffer.from("Files of messages come here.\n")])
    const file = { path, key, contentType: "text/plain", share: bridge.id }
    await CustomerBucket.put(store, file, triedWithinMs)
  }
  await FilesOnDisk.inFolder(bridge.id, work).catch((error: unknown) => {
    const why = CustomerBucket.refusalOf(error)
    throw why === undefined ? error : new ApiError("invalid_request", `the bucket did not take it: ${why}`)
  })
  return key
}

/**
 * The card that says where the files of a number's messages are put.
 * @param typed what was refused, or typed before a sign-in that it needed
 */
export function storeCard(
  bridge: Bridge.Info,
  { media_store: store }: ReturnType<typeof Choice.wire>,
  typed: Typed = {},
): Html {
  const at = `/numbers/${bridge.customerRef}/settings/store`
  const isTyped = typed.bucket !== undefined
  const known: Typed = isTyped ? typed : (store ?? {})
  const one = (
    label: string,
    name: (typeof storeFields)[number],
    more: { required?: true; placeholder?: string } = {},
  ) => field(label, { name, value: known[name] ?? "", spellcheck: "false", ...more })
  return html`<section class="card" id="store">
    <header>
      <h2>Your own S3</h2>
      <p>
        The file of each message that comes is put into a bucket of yours, at Amazon or elsewhere, and an
        event says where. ${store ? html`Now: <code>${store.bucket}</code>.` : "Now: nowhere."}
      </p>
    </header>
    <details class="confirm" ${isTyped ? "open" : ""}>
      <summary class="button">${store ? "Change it" : "Choose a bucket"}</summary>
      <form method="post" action="${at}">
        ${one("Bucket", "bucket", { required: true })}
        ${one("Address, if it is not Amazon's", "endpoint", { placeholder: "https://s3.example.com" })}
        ${one("Region", "region", { placeholder: "us-east-1" })}
        ${one("Folder", "prefix", { placeholder: "shop/media/" })}
        ${selectField({ name: "link", label: "What events say of it", choices: links, chosen: known.link })}
        ${one("Access key", "access_key_id", { required: true })}
        ${field("Secret key", { name: "secret_access_key", type: "password", required: true })}
        <div class="row"><button class="button">Save</button></div>
      </form>
    </details>
    ${
      store
        ? html`${buttonForm({ action: `${at}/try`, label: "Put a small file there" })}
          ${confirming({
            label: "Put files there no more",
            about: "What is there stays there.",
            act: buttonForm({ action: `${at}/remove`, label: "Stop it now" }),
            kind: "",
          })}`
        : ""
    }
  </section>`
}
