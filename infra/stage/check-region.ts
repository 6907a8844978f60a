/**
 * The regions that have everything the service needs, according to AWS's documentation ("Supported Regions
 * for Amazon ECS on AWS Fargate", "Creating and managing Lambda function URLs"; read in November 2026). The
 * younger regions have no function URLs. Fewer regions stream the answers of functions ("not yet available in
 * all AWS Regions"): AWS's "Capabilities by Region" (builder.aws.com/build/capabilities) says which. It was
 * not read. So the regions that have to be opted into are left out: there AWS offers what is new last.
 */
const regions = new Set([
  "ap-northeast-1",
  "ap-northeast-2",
  "ap-northeast-3",
  "ap-south-1",
  "ap-southeast-1",
  "ap-southeast-2",
  "ca-central-1",
  "eu-central-1",
  "eu-north-1",
  "eu-west-1",
  "eu-west-2",
  "eu-west-3",
  "sa-east-1",
  "us-east-1",
  "us-east-2",
  "us-west-1",
  "us-west-2",
])

/**
 * Zones that lack something that the stage puts there, by their ids, since names differ between accounts.
 * Fargate, as its documentation says: the second of California, the third of Tokyo, the fourth of Canada.
 * File systems and some endpoints: the third of Virginia.
 */
const lacking = new Set(["usw1-az2", "apne1-az3", "cac1-az4", "use1-az3"])

/** A customer's number outlives the failure of one zone. */
const zonesNeeded = 2

/** Those of these zones that can be used, always in the same order. */
export function usableZones(zoneIds: string[]): string[] {
  return zoneIds.filter((id) => !lacking.has(id)).toSorted()
}

/**
 * Finds an account's zones: without the local zones that it may have asked for, but with those that are
 * impaired. If the list grew shorter in an outage, a deploy would move the subnets, with everything in them,
 * during that outage.
 */
export const allZonesFilter = { filters: [{ name: "opt-in-status", values: ["opt-in-not-required"] }] }

/** @throws if the region is not known to have all that the service needs */
export function refuseRegion(region: string): void {
  if (regions.has(region)) return
  throw new Error(
    `${region} is not known to have all that the service needs (Fargate, function URLs, streamed answers): set AWS_REGION to one of ` +
      `${[...regions].join(", ")}, or add it to infra/stage/check-region.ts if builder.aws.com/build/capabilities says that it has all three`,
  )
}

/** @throws if the service cannot run in this region, or the region has fewer than two usable zones */
export async function checkRegion(): Promise<void> {
  const { region } = await aws.getRegion()
  refuseRegion(region)
  const zones = usableZones((await aws.getAvailabilityZones(allZonesFilter)).zoneIds)
  if (zones.length < zonesNeeded)
    throw new Error(
      `${region} has ${zones.length} of the ${zonesNeeded} zones that the service needs (${zones.join(", ") || "none"}): ` +
        "choose another region",
    )
}
