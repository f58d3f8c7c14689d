import { statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { persistentVolumeClaim, secret } from '../../shared/kinds/child-types/core.ts';
import { statefulSetName } from '../../shared/kinds/names.ts';
import type { JsonObject, ResourceType } from '../../shared/kubernetes.ts';
import { database } from '../../systems/database.ts';
import { type Live, openApi } from './api.ts';
import type { Place } from './place.ts';

const persistentVolume: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
};

export const secretName = 'shop-credentials';
export const claimName = 'data-shop-0';

export const databaseSpec = (spec: JsonObject = {}): JsonObject => ({
  databaseName: 'mydb',
  username: 'admin',
  storage: { size: '10Gi' },
  ...spec,
});

/** Creates a Database, with volumes for all pods of the scenario. */
export async function newDatabase(
  place: Place,
  { name = 'shop', spec = {}, pods = 1, metadata = {} }: NewDatabase = {},
): Promise<Live> {
  for (let at = 0; at < pods; at++) await newVolume(place, `data-${statefulSetName(name)}-${at}`);
  return place.api.create(database, name, { metadata, spec: databaseSpec(spec) });
}

interface NewDatabase {
  readonly name?: string;
  readonly spec?: JsonObject;
  readonly pods?: number;
  readonly metadata?: JsonObject;
}

/** Creates a volume for one claim; only the real control plane waits for one. */
export async function newVolume(place: Place, claim: string): Promise<void> {
  if (place.stage.ground === 'local') return;
  const { namespace, stage } = place;
  const name = `${namespace}-${claim}-${Date.now()}`;
  await openApi(stage.admin).create(persistentVolume, name, {
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: `/volumes/${name}` },
      claimRef: { namespace, name: claim },
    },
  });
}

/** Creates the Database `shop` and makes it Ready; returns its Secret. */
export async function startedDatabase(place: Place, how: NewDatabase = {}): Promise<Live> {
  await newDatabase(place, how);
  await place.converge();
  return place.api.get(secret, secretName);
}

export const dataOf = (live: Live): Readonly<Record<string, string>> =>
  (live.data ?? {}) as Readonly<Record<string, string>>;

/** Returns the password in base64, as the Secret contains it. */
export const passwordOf = (live: Live): string => dataOf(live).password ?? '';

/** Builds a Secret that someone restores by hand. */
export const restored = (data: JsonObject, metadata: JsonObject = { labels: ownLabels }) =>
  ({ metadata, type: 'Opaque', data }) satisfies JsonObject;

export const ownLabels = {
  'app.kubernetes.io/managed-by': 'serverless-reconciler',
  'app.kubernetes.io/instance': 'shop',
  'app.kubernetes.io/part-of': 'database',
};

export const editDatabase = (place: Place, spec: JsonObject): Promise<Live> =>
  place.api.patch(database, 'shop', { spec });

export const databaseOf = (place: Place): Promise<Live> => place.api.get(database, 'shop');

/** Deletes the Secret and the StatefulSet; returns the remaining claim. */
export async function dropToClaim(place: Place): Promise<Live> {
  await place.api.remove(secret, secretName);
  await place.api.remove(statefulSet, 'shop');
  await place.gone(statefulSet, 'shop');
  return place.api.get(persistentVolumeClaim, claimName);
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');
