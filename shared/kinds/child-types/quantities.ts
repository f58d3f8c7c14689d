/** Returns the paths of the quantities in a pod's spec at `at`. */
export function quantitiesOfPod(at: string): readonly string[] {
  const containers = ['containers[]', 'initContainers[]', 'ephemeralContainers[]'];
  const resources = [...containers.map((list) => `${at}.${list}.resources`), `${at}.resources`];
  return [
    ...resources.flatMap((path) => [`${path}.limits.`, `${path}.requests.`]),
    ...containers.map((list) => `${at}.${list}.env[].valueFrom.resourceFieldRef.divisor`),
    `${at}.overhead.`,
    `${at}.volumes[].downwardAPI.items[].resourceFieldRef.divisor`,
    `${at}.volumes[].emptyDir.sizeLimit`,
    ...quantitiesOfClaim(`${at}.volumes[].ephemeral.volumeClaimTemplate.spec`),
    `${at}.volumes[].projected.sources[].downwardAPI.items[].resourceFieldRef.divisor`,
  ];
}

/** Returns the paths of the quantities in the spec of a persistent volume claim at `at`. */
export const quantitiesOfClaim = (at: string): readonly string[] => [
  `${at}.resources.limits.`,
  `${at}.resources.requests.`,
];
