import {
  type api,
  type Child,
  child,
  configMap,
  dnsLabel,
  objectName,
} from 'serverless-reconciler';
import { textsOf } from './options.ts';
import { type Part, processOf, type Spec } from './spec.ts';

/** The files of authorities that OpenShift writes into ConfigMaps with these marks. */
const bundles = {
  'trusted-ca': {
    marks: { labels: { 'config.openshift.io/inject-trusted-cabundle': 'true' } },
    item: { key: 'ca-bundle.crt', path: 'tls-ca-bundle.pem' },
    mountPath: '/etc/pki/ca-trust/extracted/pem',
  },
  'service-ca': {
    marks: { annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' } },
    item: { key: 'service-ca.crt', path: 'service-ca.crt' },
    mountPath: '/etc/pki/ca-trust/source/service-ca',
  },
};
type Bundle = keyof typeof bundles;
type Mounting = Pick<Spec, 'platform' | 'volumeMounts'>;

/** True unless a volume of the spec takes that place. */
const isMade = ({ platform, volumeMounts = [] }: Mounting, bundle: Bundle): boolean =>
  platform === 'openshift' &&
  !volumeMounts.some(({ mountPath }) => mountPath.startsWith(bundles[bundle].mountPath));

const made = (spec: Mounting): readonly Bundle[] =>
  (['trusted-ca', 'service-ca'] as const).filter((bundle) => isMade(spec, bundle));

/** The ConfigMaps that OpenShift fills. */
export const caBundles = (name: string, spec: Spec): readonly Child[] =>
  made(spec).map((bundle) =>
    child(configMap, { name: nameOf(name, bundle), ...bundles[bundle].marks, body: {} }),
  );

/** The names under which these ConfigMaps are read, because processes load a file once. */
export const caBundleNames = (name: string, spec: Mounting): readonly string[] =>
  made(spec).map((bundle) => nameOf(name, bundle));

const nameOf = (name: string, bundle: Bundle): string => objectName(`${name}-${bundle}`);

/** How a pod mounts such a file. */
export function caFiles(name: string, spec: Spec, bundle: Bundle) {
  if (!isMade(spec, bundle)) return { volumes: [], volumeMounts: [] };
  const { item, mountPath } = bundles[bundle];
  const volume: api.Volume = {
    name: bundle,
    configMap: { name: nameOf(name, bundle), items: [item] },
  };
  return { volumes: [volume], volumeMounts: [{ name: bundle, mountPath, readOnly: true }] };
}

/** Returns the spec with the trusted authorities in all pods. */
export function withTrustedCa(name: string, spec: Spec): Spec {
  const { volumes, volumeMounts } = caFiles(name, spec, 'trusted-ca');
  return {
    ...spec,
    volumes: [...(spec.volumes ?? []), ...volumes],
    volumeMounts: [...(spec.volumeMounts ?? []), ...volumeMounts],
  };
}

/** The Secret with the certificate that OpenShift makes for clients of the collector. */
const certificateOf = (name: string): string =>
  objectName(`${dnsLabel(`${name}-collector-headless`)}-tls`);

const option = 'collector.grpc.tls.enabled';

/** True on OpenShift for processes that receive traces, unless their options say how. */
export const isCertified = (spec: Spec, part: Part): boolean => {
  const { options } = part === 'collector' ? spec.collector : spec.allInOne;
  return (
    spec.platform === 'openshift' &&
    (part === 'collector' || part === 'all-in-one') &&
    !(option in options)
  );
};

/** True if clients of a process that receives traces have to use TLS. */
export const isSecured = (spec: Spec, part: Part): boolean =>
  isCertified(spec, part) || textsOf(processOf(spec, part).options)[option] === 'true';

export const collectorCertificate = (name: string) => ({
  'service.beta.openshift.io/serving-cert-secret-name': certificateOf(name),
});

const folder = '/etc/tls-config';

/** The certificate, how it is mounted, and the options with which a process uses it. */
export function collectorTls(name: string, spec: Spec, part: Part) {
  if (!isCertified(spec, part)) return { volumes: [], volumeMounts: [], options: {} };
  const volume: api.Volume = { name: 'collector-tls', secret: { secretName: certificateOf(name) } };
  return {
    volumes: [volume],
    volumeMounts: [{ name: volume.name, mountPath: folder, readOnly: true }],
    options: {
      [option]: 'true',
      'collector.grpc.tls.cert': `${folder}/tls.crt`,
      'collector.grpc.tls.key': `${folder}/tls.key`,
    },
  };
}
