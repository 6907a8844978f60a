import { bridge, type Command, word } from "../command.ts"
import { Misused } from "../refused.ts"

// What a person sets for the account and its own devices.

export const name: Command = {
  takes: "<name>",
  says: "gives the account another name",
  options: ["bridge"],
  run: async (asked) => {
    const given = asked.words.join(" ") || word([], 0, "name")
    await bridge(asked).setName({ name: given })
    asked.print(`It is called ${given} now`, { name: given })
  },
}

export const privacy: Command = {
  takes: "[setting=value …]",
  says: "shows who sees what of the account, or sets it, as `last_seen=contacts read_receipts=false`",
  options: ["bridge"],
  run: async (asked) => {
    const shop = bridge(asked)
    const wanted = Object.fromEntries(asked.words.map(settingIn))
    const now = asked.words.length > 0 ? await shop.updatePrivacy(wanted) : await shop.getPrivacy()
    asked.print(
      Object.entries(now)
        .map(([field, value]) => `${field}=${value}`)
        .join("\n"),
      now,
    )
  },
}

/** @throws Misused */
function settingIn(given: string): [string, unknown] {
  const [field = "", value] = given.split("=")
  if (value === undefined) throw new Misused(`${given} is no setting=value`)
  return [field, /^(?:true|false|\d+)$/.test(value) ? JSON.parse(value) : value]
}

export const contact: Command = {
  takes: "<person> [full name]",
  says: "names somebody in the account's address book, or shows what is known of them",
  options: ["bridge"],
  run: async (asked) => {
    const jid = word(asked.words, 0, "person")
    const full_name = asked.words.slice(1).join(" ")
    const shop = bridge(asked)
    const known = full_name ? await shop.saveContact({ jid, full_name }) : await shop.getContact({ jid })
    asked.print(`${known.jid}  ${known.name}`, known)
  },
}

export const label: Command = {
  takes: "[name] [chat]",
  says: "lists a business's labels, or makes one and puts it on a chat; --off takes it off",
  options: ["bridge", "off"],
  run: async (asked) => {
    const [name, chat] = asked.words
    const shop = bridge(asked)
    if (name === undefined) {
      for (const one of await shop.listLabels()) asked.print(`${one.id}  ${one.name}`, one)
      return
    }
    const its = await shop.createLabel({ name })
    if (chat !== undefined)
      await (asked.options.off
        ? shop.unlabelChat({ id: its.id, chat })
        : shop.labelChat({ id: its.id, chat }))
    asked.print(`${its.id}  ${its.name}`, its)
  },
}

export const clear: Command = {
  takes: "<chat>",
  says: "removes a chat's messages from the account's own devices",
  options: ["bridge"],
  run: async (asked) => {
    const chat = word(asked.words, 0, "chat")
    await bridge(asked).clearChat({ chat })
    asked.print(`${chat} is cleared`, { chat, ok: true })
  },
}
