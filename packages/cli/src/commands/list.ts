import { type Command, service } from "../command.ts"

export const list: Command = {
  takes: "",
  says: "lists the bridges",
  run: async ({ print }) => {
    for await (const one of service().listBridges({ limit: 1000 }))
      print(`${one.customer_ref}  ${one.state}`, one)
  },
}
