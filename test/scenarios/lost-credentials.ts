import { expect } from 'vitest';
import { secret } from '../../shared/kinds/child-types/core.ts';
import { base64, databaseOf, dataOf, ownLabels, restored, secretName } from './databases.ts';
import type { Place } from './place.ts';
import { condition } from './resources.ts';

/** Expects lost credentials to be reported once, with a remedy, and no password to be generated in any run. */
export async function expectLost(place: Place, usedBy: string): Promise<void> {
  const before = await place.writes('secrets');
  const { failures } = await place.resync();
  expect(failures).toMatchObject([{ reason: 'CredentialsLost' }]);
  const live = await databaseOf(place);
  expect(live.status).toMatchObject({ phase: 'Failed', ready: false });
  expect(live.status?.endpoint).toBeUndefined();
  expect(condition(live, 'Ready')).toMatchObject({ status: 'False', reason: 'CredentialsLost' });
  const message = condition(live, 'Stalled')?.message ?? '';
  for (const word of [secretName, 'password', usedBy, 'restore', ...Object.values(ownLabels)])
    expect(message).toContain(word);
  const versions = await place.versions();
  for (let run = 0; run < 2; run++) await place.resync();
  expect(await place.versions()).toEqual(versions);
  expect(await place.writes('secrets')).toEqual(before);
  const events = await place.events('shop', 'CredentialsLost');
  expect(events.filter((event) => event.message === message)).toMatchObject([{ type: 'Warning' }]);
}

/** Expects the Database to be Ready again, with this password and everything else as desired. */
export async function expectHealed(place: Place, password: string): Promise<void> {
  await place.converge();
  const live = await databaseOf(place);
  expect(condition(live, 'Stalled')).toBeUndefined();
  expect(live.status).toMatchObject({ phase: 'Ready', ready: true });
  const child = await place.api.get(secret, secretName);
  expect(dataOf(child)).toEqual({
    username: base64('admin'),
    database: base64('mydb'),
    password,
  });
  expect(child.metadata.ownerReferences).toMatchObject([
    { uid: live.metadata.uid, controller: true },
  ]);
  expect(child.metadata.labels).toEqual(ownLabels);
}

export const restore = (place: Place, password: string) =>
  place.api.create(secret, secretName, restored({ password }));
