import { createAuthority } from '../support/certificates.ts';

/** Variables of an installation, as in `modules/settings`. */
export interface Variables {
  readonly clusters?: readonly Cluster[];
  readonly [name: string]: unknown;
}

interface Cluster {
  readonly name: string;
  readonly location: string;
  readonly endpoint: string;
  readonly project?: string;
  readonly ca?: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const { certificate } = createAuthority();
const ca = base64(certificate);
const two = base64(certificate + createAuthority().certificate);
const main = { name: 'main', location: 'europe-west1', endpoint: 'a.europe-west1.gke.goog' };
const other = { ...main, location: 'us-east1-b', endpoint: 'b.gke.goog', project: 'other-p' };

export const installation = {
  project: 'demo-project',
  region: 'europe-west1',
  clusters: [main],
} as const satisfies Variables;

const own = 'demo-project/europe-west1/main';
const inMain = { name: own, isNamed: true, endpoint: main.endpoint, ca: undefined };

/** Installations, and the configuration that the functions parse from their environment. */
export const variants: Readonly<Record<string, Variant>> = {
  'only required variables': {
    given: {},
    want: {
      clusters: [inMain],
      namespaces: undefined,
      deadlineSeconds: 300,
      dryRun: false,
      logLevel: 'INFO',
      ownIdentity: ['serverless-reconciler@demo-project.iam.gserviceaccount.com'],
    },
    settings: { topic: undefined, bucket: undefined, project: 'demo-project' },
  },
  'several clusters': {
    given: { clusters: [main, { ...other, ca }] },
    want: {
      clusters: [
        inMain,
        { name: 'other-p/us-east1-b/main', isNamed: true, endpoint: 'b.gke.goog', ca },
      ],
    },
  },
  'a CA for the cluster': {
    given: { clusters: [{ ...main, endpoint: '10.0.0.250', ca }] },
    want: { clusters: [{ ...inMain, endpoint: '10.0.0.250', ca }] },
  },
  'two CA certificates in one file': {
    given: { clusters: [{ ...main, ca: two }] },
    want: { clusters: [{ ...inMain, ca: two }] },
  },
  'events by Eventarc': { given: { events: 'eventarc' }, want: { clusters: [inMain] } },
  'no events': { given: { events: 'none' }, want: { clusters: [inMain] } },
  'fan-out': {
    given: { fan_out: true, name: 'reconcile' },
    want: { ownIdentity: ['reconcile@demo-project.iam.gserviceaccount.com'] },
    settings: {
      topic: { name: 'projects/demo-project/topics/reconcile-fan-out', emulator: undefined },
    },
  },
  'a bucket for recordings': {
    given: { record_bucket: 'my-recordings' },
    want: {},
    settings: { bucket: { name: 'my-recordings', emulator: undefined } },
  },
  'chosen kinds': { given: { kinds: ['Foo', 'Website'] }, want: {}, kinds: ['Foo', 'Website'] },
  'chosen namespaces': {
    given: { namespaces: ['team-a', 'team-b'] },
    want: { namespaces: ['team-a', 'team-b'] },
  },
  'every further variable': {
    given: {
      deadline_seconds: { resync: 600, audit: 60 },
      environment: {
        AUTH_URL: 'https://auth.example.com:8443/check',
        CONCURRENCY: '64',
        DRY_RUN: 'true',
        INGRESS_CLASS: 'nginx-internal',
        LOG_LEVEL: 'DEBUG',
        PRUNE_LIMIT: '25%',
        SETTLE_SECONDS: '0',
      },
    },
    want: {
      deadlineSeconds: 600,
      concurrency: 64,
      dryRun: true,
      logLevel: 'DEBUG',
      settleSeconds: 0,
    },
  },
  'further variables in other spellings': {
    given: { environment: { DRY_RUN: 'False', LOG_LEVEL: 'warning', PRUNE_LIMIT: '25' } },
    want: { dryRun: false, logLevel: 'WARNING' },
  },
  'empty further variables': {
    given: { environment: { AUTH_URL: '', DRY_RUN: '', SETTLE_SECONDS: '' } },
    want: { dryRun: false, settleSeconds: 15 },
  },
};

interface Variant {
  readonly given: Variables;
  /** Part of the configuration of the resync function. */
  readonly want: object;
  /** Part of its Google Cloud settings. */
  readonly settings?: object;
  readonly kinds?: readonly string[];
}

/** Values that neither Terraform nor the functions may accept. */
export const refused: Readonly<Record<string, Refused>> = {
  'an empty label in an endpoint': { cluster: { endpoint: 'gke-0..goog' } },
  'an invalid address': { cluster: { endpoint: '10.0.0.256' } },
  'a ca that is not a certificate': { cluster: { ca: 'Q0E=' } },
  'a ca that is not in base64': { cluster: { ca: '-----BEGIN CERTIFICATE-----' } },
  'a ca whose second certificate is cut off': {
    cluster: { ca: base64(`${certificate}-----BEGIN CERTIFICATE-----\nMII`) },
  },
  'a value that is not a boolean': { environment: { DRY_RUN: 'yes' } },
  'too many requests at once': { environment: { CONCURRENCY: '65' } },
  'an authorizer without a host': { environment: { AUTH_URL: 'https://?a=b' } },
  'an authorizer with an invalid port': {
    environment: { AUTH_URL: 'https://auth.example.com:65536/' },
  },
  'an invalid class name': { environment: { INGRESS_CLASS: 'nginx-' } },
  'an unknown log level': { environment: { LOG_LEVEL: 'LOUD' } },
  'a limit in words': { environment: { PRUNE_LIMIT: 'half' } },
  'too long settling': { environment: { SETTLE_SECONDS: '601' } },
};

interface Refused {
  readonly cluster?: Partial<Cluster>;
  readonly environment?: Readonly<Record<string, string>>;
}
