import { type Command, service } from "../command.ts"

export const list: Command = {
  takes: "",
  says: "lists the bridges",
  run: async ({ print }) => {
    for (const one of await service().listBridges()) print(`${one.customer_ref}  ${one.state}`, one)
  },
}
