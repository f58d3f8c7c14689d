import { hash } from 'node:crypto';
import { canonicalJson } from '../canonical.ts';
import type { Json } from '../kubernetes.ts';
import { legalLabelValue } from '../label-selector.ts';

/** The same in all reconcilers, because users type it. Must not change: pods with a digest annotation would restart. */
const prefix = 'serverless-reconciler';

export const label = {
  managedBy: 'app.kubernetes.io/managed-by',
  instance: 'app.kubernetes.io/instance',
  partOf: 'app.kubernetes.io/part-of',
} as const;

export const suspendAnnotation = `${prefix}/suspend`;

/** On a resource: with `"true"`, runs report drift of its children and write only its status and Events. */
export const observeAnnotation = `${prefix}/observe`;

/** On a resource: `"true"` puts the resource before the others of its namespace in a rollout. */
export const rolloutFirstAnnotation = `${prefix}/rollout-first`;

/** On a kind's CRD: `paused`, or a time. Failures of the rollout before this time do not count. */
export const rolloutAnnotation = `${prefix}/rollout`;

/** On a Secret: a salt for digests of its values, so that nobody can compare them with digests of guesses. */
export const saltAnnotation = `${prefix}/salt`;

/** On a Secret: the `rotationText` for which its values were last generated. */
export const rotationAnnotation = `${prefix}/rotation`;

/** On an object: readers in other namespaces, such as `team-a/bots.example.org`; `*` is any namespace. */
export const readableByAnnotation = `${prefix}/readable-by`;

/** On a pod template: a digest of a Secret's data, so that the pods roll when the data changes. Never shown. */
export const secretDigestAnnotation = `${prefix}/secret-digest`;

/** On a pod template: a digest of objects such as ConfigMaps, so that the pods roll when these change. */
export const configDigestAnnotation = `${prefix}/config-digest`;

export const legalDnsLabel = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
export const legalHostLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** A domain with a dot, short enough that `PLURAL.GROUP` is a legal name. */
export const legalDomain =
  /^(?=.{1,189}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;
const legalSubdomain = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** The result may still be too long, or begin or end with an illegal character. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .replaceAll(/[.-]*\.[.-]*/g, '.');
const plainLabel = (text: string): string => plain(text).replaceAll('.', '-');

/**
 * Returns `text` if it is a legal label value; otherwise the legal part of `text`, `_` and a hash of `text`.
 *
 * Guarantees: a result with a hash never equals another resource's name, because no name contains `_`.
 */
export const labelValue = (text: string): string =>
  legalLabelValue.test(text)
    ? text
    : hashed(text, { legal: text.replaceAll(/[^A-Za-z0-9_.-]/g, '-'), separator: '_' });

/**
 * Like `labelValue`, with `-` before the hash, for the name of a Deployment or Job: at most 63 characters, because
 * longer host names of pods are truncated.
 */
export const workloadName = (text: string): string => subdomainOf(text, 63);

/** Like `workloadName`, for the name of a Service: a DNS-1035 label, no dots, beginning with a letter. */
export const dnsLabel = (text: string): string =>
  legalDnsLabel.test(text)
    ? text
    : hashed(text, { legal: plainLabel(text).replace(/^[^a-z]+/, '') });

/** Like `workloadName`, for the name of a Namespace: a DNS-1123 label, no dots. */
export const namespaceName = (text: string): string => labelOf(text, 63);

/** Like `workloadName`, for the name of a container: a DNS-1123 label, no dots. */
export const containerName = namespaceName;

/**
 * Like `workloadName`, for the name of a StatefulSet or a CronJob: a DNS-1123 label of at most 52 characters,
 * because Kubernetes appends a revision or a time.
 */
export const statefulSetName = (text: string): string => labelOf(text, 52);

/** Like `workloadName`, for the name of any other object, at most 253 characters. */
export const objectName = (text: string): string => subdomainOf(text, 253);

const subdomainOf = (text: string, longest: number): string =>
  legalSubdomain.test(text) && text.length <= longest
    ? text
    : hashed(text, { legal: plain(text), longest });

const labelOf = (text: string, longest: number): string =>
  legalHostLabel.test(text) && text.length <= longest
    ? text
    : hashed(text, { legal: plainLabel(text), longest });

/** Returns the lower-case hex SHA-256 of a JSON value, independent of the order of fields. */
export const digestOf = (value: Json): string => hash('sha256', canonicalJson(value));

function hashed(
  text: string,
  { legal, longest = 63, separator = '-' }: { legal: string; longest?: number; separator?: string },
): string {
  const digest = hash('sha256', text).slice(0, 10);
  const head = legal
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, longest - digest.length - 1)
    .replace(/[^A-Za-z0-9]+$/, '');
  if (head !== '') return `${head}${separator}${digest}`;
  return `x${separator === '-' ? '' : separator}${digest}`;
}
