import { describe, expect, it } from 'vitest';
import { sampleManifests } from '../../infra/generate/files.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { kinds } from '../support/config.ts';
import {
  at,
  check,
  fooFacts,
  type Given,
  otherInstallation,
  remedies,
} from './doctor-activity-facts.ts';

const lastWrite = { time: at('11:57:00'), what: 'status of Foo default/a' };

describe('remedies', () => {
  const remedyOf = (name: string, given: Given, place = otherInstallation) =>
    check(given, place).find((one) => one.name === name)?.remedy;

  it('say how to test audit events, and how to undo the test', () => {
    expect(remedyOf('audit events', { resources: [fooFacts()] })).toBe(
      [
        'kubectl --context prod annotate -n default foos.example.com/a --overwrite serverless-reconciler/suspend=true',
        'sleep 61',
        'npm run reconciler -- doctor --interval 10m --context prod',
        'kubectl --context prod annotate -n default foos.example.com/a --overwrite serverless-reconciler/suspend-',
      ].join('; '),
    );
  });

  const annotate =
    'kubectl --context prod annotate -n default foos.example.com/a --overwrite serverless-reconciler/suspend';
  const again = (interval: string) =>
    `npm run reconciler -- doctor --interval ${interval} --context prod`;
  const sample = (kind: Kind) => `printf %s '${JSON.stringify(sampleManifests(kind)[0])}'`;
  const trials: Record<string, { reason: string; given: Given; want: string }> = {
    Empty: {
      reason: 'a sample is created in a configured namespace, and given time to be reconciled',
      given: { namespaces: ['team-a', 'team-b'] },
      want: `${sample(website)} | kubectl --context prod apply -n team-a -f - && sleep 61; ${again('10m')}`,
    },
    Everywhere: {
      reason: 'the namespace of the context is used',
      given: { kinds: [foo] },
      want: `${sample(foo)} | kubectl --context prod apply -f - && sleep 61; ${again('10m')}`,
    },
    AllSuspended: {
      reason: 'applying an existing sample is no edit',
      given: { kinds: [foo, ...kinds], resources: [fooFacts({ isSuspended: true })] },
      want: `${sample(website)} | kubectl --context prod apply -f - && sleep 61; ${again('10m')}`,
    },
    NothingServed: {
      reason: 'without a definition no sample can be created',
      given: { kinds: [] },
      want: `sleep 61; ${again('10m')}`,
    },
    Short: {
      reason: 'a tenth of the interval, which the second doctor is given',
      given: { resources: [fooFacts()], interval: '2m' },
      want: `${annotate}=true; sleep 13; ${again('2m')}; ${annotate}-`,
    },
    NoWholeSecond: {
      reason: 'not every sleep accepts half a second',
      given: { resources: [fooFacts()], interval: '55s' },
      want: `${annotate}=true; sleep 7; ${again('55s')}; ${annotate}-`,
    },
    Pending: {
      reason: 'an immediate second look would show nothing new',
      given: { resources: [fooFacts({ isWaiting: true, editedAt: at('11:59:58') })] },
      want: `sleep 61; ${again('10m')}`,
    },
    BesideNpmStart: {
      reason: 'the ticks must be slowed down first',
      given: {
        resources: [fooFacts()],
        interval: '10s',
        by: { ...remedies, isLocal: true },
      },
      want: `npm start -- --interval 600   # instead of the running one, with its other options; half a minute later:\n${annotate}=true; sleep 61; ${again('10m')}; ${annotate}-`,
    },
  };
  it.each(Object.entries(trials))('of audit events: %s', (_, { reason, given, want }) => {
    expect(remedyOf('audit events', given), reason).toBe(want);
  });

  it.each([
    [otherInstallation, /^the log of the resync function: .*"resynced"/],
    [{ ...otherInstallation, isLocal: true }, /^what npm start prints/],
    [
      { ...otherInstallation, gitVersion: 'v1.33.2-gke.1', project: 'mine' },
      /^gcloud logging read '.*"resynced".*' .* --project mine$/,
    ],
  ])('name the log of that installation: %o', (place, want) => {
    expect(remedyOf('ticks', {}, place)).toMatch(want);
  });

  it('are given only if there is something to do', () => {
    const resources = [fooFacts({ editedAt: at('11:58:00'), answeredAt: at('11:58:02') })];
    const fine = check({ resources, lastWrite }).filter(({ state }) => state === 'ok');
    expect(fine.map(({ name, remedy }) => [name, remedy])).toEqual([
      ['last write', undefined],
      ['audit events', undefined],
    ]);
  });
});
