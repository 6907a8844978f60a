/**
 * AWS's public prices in US dollars, without free tiers and discounts. They were written down from memory of
 * AWS's price pages: check them there before you rely on the sum.
 */
export const prices = {
  region: "us-east-1",
  asOf: "2026-11",
  /** Fargate, ARM. */
  vcpuHour: 0.03238,
  gbHour: 0.00356,
  /** A public IPv4 address in use. */
  addressHour: 0.005,
  /** Lambda, ARM. */
  lambdaGbSecond: 0.0000133334,
  lambdaRequest: 0.2e-6,
  /** DynamoDB, on demand. */
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  tableGbMonth: 0.25,
  /** Point-in-time recovery. */
  recoveryGbMonth: 0.2,
  /** SQS, FIFO. */
  sqsRequest: 0.5e-6,
  /** CloudFront: an HTTPS request, a run of a function. */
  routerRequest: 1e-6,
  routerFunction: 0.1e-6,
  trafficOutGb: 0.09,
  /** A key, and each of the first two yearly rotations of it. */
  kmsKeyMonth: 1,
  kmsRequest: 3e-6,
  /** EventBridge Scheduler: the start of a function. */
  scheduled: 1e-6,
  /** ECR. */
  imageGbMonth: 0.1,
  /** CloudWatch. */
  logGb: 0.5,
  metricMonth: 0.3,
  alarmMonth: 0.1,
  dashboardMonth: 3,
}
