import type { INodeProperties } from "n8n-workflow"

/** Where the service answers, as an expression. */
export const baseURL = '={{$credentials.url.replace(/\\/+$/, "")}}'

/** Of a declarative node. A trigger must not have them: n8n would make a request each time that it starts a workflow. */
export const requestDefaults = { baseURL, headers: { Accept: "application/json" } }

export const number: INodeProperties = {
  displayName: "Number Name or ID",
  name: "number",
  type: "options",
  required: true,
  default: "",
  description:
    'The number, by the reference of its bridge. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
  typeOptions: {
    loadOptions: {
      routing: {
        request: { baseURL, method: "GET", url: "/api/instances" },
        output: {
          postReceive: [
            {
              type: "setKeyValue",
              properties: {
                name: "={{$responseItem.customer_ref}}",
                value: "={{$responseItem.customer_ref}}",
              },
            },
          ],
        },
      },
    },
  },
}
