/**
 * AWS's public prices in US dollars, without free tiers and discounts. They were written down from memory of
 * AWS's price pages: check them there before you rely on the sum.
 */
export const prices = {
  asOf: "2026-11",
  /** Fargate, ARM. */
  vcpuHour: 0.03238,
  gbHour: 0.00356,
  /** What Fargate Spot asks of these two: it changes from day to day. */
  spotShare: 0.3,
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
  /** From one availability zone to another, in both directions. */
  zonesGb: 0.02,
  /** S3: a write, a read, and what is stored. */
  s3Write: 5e-6,
  s3Read: 0.4e-6,
  s3GbMonth: 0.023,
  /** A key, and each of the first two yearly rotations of it. */
  kmsKeyMonth: 1,
  kmsRequest: 3e-6,
  /** EventBridge Scheduler: the start of a function. */
  scheduled: 1e-6,
  /** Route 53: a health check of an address within AWS, by HTTPS. */
  healthCheckMonth: 1.5,
  /** ECR. */
  imageGbMonth: 0.1,
  /** CloudWatch. */
  logGb: 0.5,
  metricMonth: 0.3,
  alarmMonth: 0.1,
  dashboardMonth: 3,
}

/** What these prices are in other regions, roughly. KMS and Route 53 cost the same everywhere. */
export const regions: Record<string, number> = {
  "us-east-1": 1,
  "us-east-2": 1,
  "us-west-2": 1,
  "eu-west-1": 1.08,
  "eu-central-1": 1.15,
  "eu-west-2": 1.14,
  "ap-southeast-1": 1.18,
  "ap-southeast-2": 1.2,
  "ap-northeast-1": 1.22,
  "ap-south-1": 1.05,
  "ca-central-1": 1.1,
  "sa-east-1": 1.6,
}
