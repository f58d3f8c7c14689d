import pMap from 'p-map';
import { Type } from 'typebox';
import { listAt, textAt } from '../../../shared/json.ts';
import { defineKind } from '../../../shared/kinds/define-kind.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import { includesType, isCustom } from '../../../shared/kubernetes.ts';
import { category } from '../../generate/crd.ts';
import type { ApiProbe } from '../base/probe.ts';

/** Returns the kinds that the cluster serves but the project lacks, as definitions without children. */
export async function removedKinds(
  probe: ApiProbe,
  kinds: readonly Kind[],
): Promise<readonly Kind[]> {
  const servedBy = async (one: unknown): Promise<readonly Kind[]> => {
    const [group = '', version = ''] = textAt(one, 'groupVersion')?.split('/') ?? [];
    if (!isCustom({ group })) return [];
    const { value } = await probe({ path: `/apis/${group}/${version}` });
    return listAt(value, 'resources').flatMap((type) => kindOf({ group, version }, type as Served));
  };
  // Uses discovery, because every user may discover types, but only some may read CRDs.
  const { value } = await probe({ path: '/apis' });
  const versions = listAt(value, 'groups').flatMap((one) => listAt(one, 'versions'));
  const found = (await pMap(versions, servedBy, { concurrency: 8 })).flat();
  return found.filter((kind, at) => !includesType([...kinds, ...found.slice(0, at)], kind));
}

interface Served {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

function kindOf(
  of: Pick<Kind, 'group' | 'version'>,
  { name: plural, kind, namespaced, shortNames = [], categories = [] }: Served,
): readonly Kind[] {
  if (!categories.includes(category)) return [];
  const scope = namespaced ? 'Namespaced' : 'Cluster';
  const code = { spec: Type.Object({}), samples: [], owns: [], children: () => [] };
  return [defineKind({ ...of, kind, plural, shortNames, scope, ...code })];
}
