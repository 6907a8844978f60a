import type { judges } from "./judges.ts"

/** A pattern of findings, and why they stay. */
type Listed = (readonly [RegExp, string])[]

/** What judges find that stays as it is, each with its reason. Whatever else they find fails the run. */
export const listed: Record<keyof typeof judges, Listed> = {
  dynoxide: [],
  moto: [],
  "cfn-lint": [],
  parliament: [
    [
      /^CallsRole: RESOURCE_STAR .*NetworkInterface/,
      "Lambda's own network interfaces in a VPC: AWS documents these actions for every resource",
    ],
  ],
  checkov: [
    [/CKV_AWS_111 /, "CallsRole: Lambda's own network interfaces in a VPC, as for parliament"],
    [/CKV_AWS_115 /, "`Api` and `Calls` share what the others, which have limits, leave of the account's"],
    [
      /CKV_AWS_116 /,
      "no function is invoked asynchronously but by schedules, whose next round does the same",
    ],
    [/CKV_AWS_117 /, "only `Calls` reaches hosts; the others would need NAT gateways, and reach AWS alone"],
    [/CKV_AWS_119 /, "sessions and events are sealed under our keys of KMS; DynamoDB's key covers the rest"],
    [/CKV_AWS_158 /, "logs hold no message; CloudWatch's own key encrypts them"],
    [/CKV_AWS_173 /, "functions with a secret among their variables have `kmsKeyArn`; these have none"],
    [/CKV_AWS_18 /, "every file of the bucket passes through our own functions, which list their requests"],
    [/CKV_AWS_21 /, "files live for days and are never overwritten: deleted must be gone"],
    [/CKV_AWS_258 /, "callers have API keys, not AWS's; only the router, by its secret, is answered"],
    [/CKV_AWS_26 /, "CloudWatch may not publish to a topic under AWS's key; alarms hold no customer's data"],
    [/CKV_AWS_27 /, "SQS encrypts under its own key (`sqsManagedSseEnabled`); doorbells hold ids alone"],
    [/CKV_AWS_65 /, "Container Insights costs more than the hosts' own metrics, which the alarms read"],
  ],
}
