import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { statefulSet } from '../../../shared/kinds/child-types/apps.ts';
import { persistentVolumeClaim, secret, service } from '../../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { eventType } from '../../../shared/plan/status/kubernetes-events.ts';
import { database } from '../../../systems/database.ts';
import {
  base64,
  databaseOf,
  dataOf,
  newDatabase,
  ownLabels,
  passwordOf,
  restored,
  secretName,
  startedDatabase,
} from '../databases.ts';
import { eventually } from '../eventually.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition } from '../resources.ts';

const algorithms = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'];
const encodings = ['hex', 'base64', 'base64url'] as const;

/** Returns the password in every form in which it could leak. */
function formsOf(encoded: string): readonly string[] {
  const plain = Buffer.from(encoded, 'base64').toString();
  const digests = [plain, encoded].flatMap((text) =>
    algorithms.flatMap((algorithm) =>
      encodings.map((encoding) => createHash(algorithm).update(text).digest(encoding)),
    ),
  );
  return [
    plain,
    encoded,
    encodeURIComponent(plain),
    ...digests.map((digest) => digest.slice(0, 12)),
  ];
}

/** Collects every text about the Database: logs, Events, statuses, and the given responses of functions. */
async function allText(place: Place, responses: readonly unknown[]): Promise<string> {
  const types = [database, eventType, statefulSet, service, persistentVolumeClaim];
  const objects = await Promise.all(types.map((type) => place.api.list(type)));
  const metadata = (await place.api.list(secret)).map((live) => live.metadata);
  return JSON.stringify([place.stage.journal.lines, responses, objects, metadata]);
}

async function expectUntold(
  place: Place,
  passwords: readonly string[],
  responses: readonly unknown[],
): Promise<void> {
  const text = await allText(place, responses);
  for (const form of passwords.flatMap(formsOf)) expect(text.includes(form)).toBe(false);
}

/** D-3: only the Secret contains the password. */
export const secrecy: Scenarios = {
  async 'D-3 the password is in no log, Event, status or response, whatever happens'(place) {
    const responses: unknown[] = [];
    const resync = async () => void responses.push(await place.resync());
    await newDatabase(place, { spec: { resources: { limits: { cpu: 'nonsense' } } } }).catch(
      (error: unknown) => responses.push(String(error)),
    );
    await newDatabase(place, { pods: 0 });
    await resync();
    await place.converge();
    const first = passwordOf(await place.api.get(secret, secretName));
    const theirs = base64('chosen-by-a-human-4711');
    const edits: readonly JsonObject[] = [
      { username: base64('root'), database: null },
      { password: theirs },
      { password: null },
      { password: first },
    ];
    for (const data of edits) {
      await place.api.patch(secret, secretName, { data });
      await resync();
    }
    await place.api.apply(secret, secretName, { data: { username: first } }, 'argocd');
    await resync();
    await place.api.patch(secret, secretName, { metadata: { managedFields: [{}] } });
    await resync();
    await place.api.patch(secret, secretName, { data: { username: theirs }, immutable: true });
    await resync();
    expect(condition(await databaseOf(place), 'Stalled')).toMatchObject({
      reason: 'ImmutableFieldChanged',
      message: `Secret ${secretName}: data.username differs and cannot be changed; save its data, and delete the Secret to have it recreated`,
    });
    await place.api.remove(secret, secretName);
    await resync();
    await place.api.create(secret, secretName, restored({ password: first }, {}));
    await resync();
    await place.api.patch(secret, secretName, { metadata: { labels: ownLabels } });
    await resync();
    await place.converge();
    expect(dataOf(await place.api.get(secret, secretName))).toMatchObject({ password: first });
    await expectUntold(place, [first, theirs], responses);
  },

  async 'D-3 the refusal of a StatefulSet does not reveal the password'(place) {
    const resources = { requests: { cpu: '2' }, limits: { cpu: '1' } };
    await newDatabase(place, { spec: { resources } });
    const responses = [await place.resync(), await place.resync()];
    const password = passwordOf(await place.api.get(secret, secretName));
    expect(condition(await databaseOf(place), 'Stalled')?.reason).toBe('Invalid');
    await expectUntold(place, [password], responses);
  },

  async 'D-3 repairs after audit events do not reveal the password'(place) {
    const password = passwordOf(await startedDatabase(place));
    await place.caughtUp();
    place.listen();
    await place.api.patch(secret, secretName, { data: { username: base64('root') } });
    await eventually(async () => {
      const { username } = dataOf(await place.api.get(secret, secretName));
      expect(username).toBe(base64('admin'));
    });
    await place.api.remove(secret, secretName);
    await eventually(async () => {
      expect(condition(await databaseOf(place), 'Stalled')?.reason).toBe('CredentialsLost');
    });
    // The Secret has no controller yet, so no audit event leads from it to the Database.
    await place.api.create(secret, secretName, restored({ password }));
    const responses = [await place.resync()];
    await eventually(async () => {
      expect((await databaseOf(place)).status).toMatchObject({ phase: 'Ready' });
    });
    await place.caughtUp();
    await expectUntold(place, [password], responses);
  },
};
