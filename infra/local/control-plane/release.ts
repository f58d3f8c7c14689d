import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A Kubernetes release from which a control plane can be built. */
export interface Release {
  /** As `1.36`. */
  readonly minor: string;
  /** As `v1.36.3`. */
  readonly version: string;
  /** The directory of the go.mod that pins it. */
  readonly module: string;
}

const versions = join(import.meta.dirname, 'versions');

const { version: modelled } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../api-server/generated/schemas.json'), 'utf8'),
) as { readonly version: string };

/** Finds the release of a minor version; default: the version that the local cluster imitates. */
export function chooseRelease(wanted?: string): Release {
  const minors = readdirSync(versions).sort(compareMinors);
  const minor = wanted || minorOf(modelled);
  if (!minors.includes(minor)) {
    throw new Error(
      `KUBERNETES_VERSION=${minor}: pinned are ${minors.join(', ')}; ` +
        'pin another with: node infra/local/control-plane/pin.ts MINOR',
    );
  }
  const module = join(versions, minor);
  const text = readFileSync(join(module, 'go.mod'), 'utf8');
  const version = /^\s*k8s\.io\/kubernetes (v\S+)/m.exec(text)?.[1];
  if (version === undefined) throw new Error(`${module}/go.mod requires no k8s.io/kubernetes`);
  return { minor, version, module };
}

/** Reports whether the environment chooses the release that the local cluster imitates. */
export const isModelled = (): boolean =>
  chooseRelease(process.env.KUBERNETES_VERSION).minor === chooseRelease().minor;

/** Returns `1.36` for `v1.36.3`. */
const minorOf = (version: string): string => version.replace(/^v(\d+\.\d+)\..*/, '$1');

/** Orders minor versions: `1.9` before `1.10`. */
export const compareMinors = (one: string, other: string): number =>
  Number(one.slice(2)) - Number(other.slice(2));
