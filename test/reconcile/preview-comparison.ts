import { expect } from 'vitest';
import { apply } from '../../infra/actions/apply.ts';
import type { Identity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { requestsFor } from '../../shared/preview/planned-resource.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import { resync } from '../../shared/resync/resync.ts';
import { type Engine, isWriteRequest, type Place } from './engine.ts';
import { openRecordedPreview, previewOptions } from './recorded-preview.ts';
import { type RecordedRequest, textOf } from './recorded-requests.ts';

export interface Comparison {
  readonly engine: Engine;
  readonly place: Place;
  readonly kinds: readonly Kind[];
  readonly how: 'apply' | 'resync';
  readonly identity?: Identity;
}

/** Plans a namespace, runs, and compares the requests that were sent with the planned ones. */
export async function compare({ engine, place, kinds, how, ...as }: Comparison): Promise<void> {
  const foreseeing = openRecordedPreview(engine, as.identity);
  const options = { ...previewOptions, area: { kinds, namespaces: undefined } };
  const request = { namespace: place.namespace };
  const { requests } = engine.cluster;
  requests.reset();
  try {
    const { preview } = await previewRun(foreseeing.begin(), [request], options);
    expect(requests.list().filter(isWriteRequest)).toEqual([]);
    expect(requests.list()).toHaveLength(preview.requests.taken);
    const all = preview.resources.map(requestsFor);
    expect(all.flat()).toHaveLength(preview.requests.toPerform);
    // Lists are not compared, because they concern no single object.
    const planned = all.map((one) => one.filter(({ verb }) => verb !== 'list').map(textOf));
    const sent: RecordedRequest[] = [];
    const run = foreseeing.begin(sent);
    if (how === 'apply') {
      const seen = await previewRun(run, [request], options);
      expect(seen.preview).toEqual(preview);
      sent.length = 0;
      await apply(run, seen, { concurrency: 1 });
      if (sent.some(({ ok }) => !ok)) return;
      expect(strings(sent)).toEqual(planned.flat());
      return;
    }
    // A run also tries to create a child with a name that it has just freed.
    const actions = preview.resources.flatMap((one) => one.actions);
    const freed = actions.filter(({ verb }) => verb === 'delete').map(({ child }) => child.name);
    if (actions.some(({ verb, child }) => verb === 'block' && freed.includes(child.name))) return;
    const effort = { concurrency: 1, settleSeconds: 0 };
    const report = await resync(run, [request], { ...options, ...effort });
    // A conflict may reveal an object that was in no list; other refusals cannot be planned.
    const isRefused = sent.some(({ ok, reason }) => !ok && reason !== 'Conflict');
    if (report.failures.length > 0 || isRefused) return;
    const done = strings(sent.filter(({ ok }) => ok)).filter(isWrite);
    // Ignores the order of resources, because kinds are listed concurrently.
    const parts = planned.map((one) => one.filter(isWrite)).filter((one) => one.length > 0);
    const turn = ([first = '']: readonly string[]): number => done.indexOf(first);
    expect(done).toEqual(parts.toSorted((a, b) => turn(a) - turn(b)).flat());
  } finally {
    await foreseeing.close();
  }
}

const isWrite = (text: string): boolean => !text.startsWith('get ');

const strings = (sent: readonly RecordedRequest[]): readonly string[] =>
  sent.map(({ request }) => textOf(request));
