import { describe, expect, it } from 'vitest';
import { kinds } from '../../shared/kinds/all.ts';
import { foo } from '../../shared/kinds/foo.ts';
import { at, elsewhere, type Given, look, remedies, resident } from './doctor-activity-ground.ts';

const wrote = { time: at('11:57:00'), what: 'status of Foo default/a' };

describe('remedies', () => {
  const remedyOf = (name: string, given: Given, place = elsewhere) =>
    look(given, place).find((one) => one.name === name)?.remedy;

  it('tell how to try audit events, and take the trial back', () => {
    expect(remedyOf('audit events', { residents: [resident()] })).toBe(
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
  const trials: Record<string, { reason: string; given: Given; want: string }> = {
    Empty: {
      reason: 'a sample is made where somebody works, and given time to be answered',
      given: { namespaces: ['team-a', 'team-b'] },
      want: `kubectl --context prod apply -n team-a -f infra/samples/website.yaml && sleep 61; ${again('10m')}`,
    },
    Everywhere: {
      reason: 'the namespace of the context will do',
      given: { kinds: [foo] },
      want: `kubectl --context prod apply -f infra/samples/foo.yaml && sleep 61; ${again('10m')}`,
    },
    AllSuspended: {
      reason: 'to apply a sample that is there is no edit',
      given: { kinds: [foo, ...kinds], residents: [resident({ isSuspended: true })] },
      want: `kubectl --context prod apply -f infra/samples/website.yaml && sleep 61; ${again('10m')}`,
    },
    NothingServed: {
      reason: 'no definition, no sample',
      given: { kinds: [] },
      want: `sleep 61; ${again('10m')}`,
    },
    Short: {
      reason: 'a tenth of the interval, which the second doctor has to know',
      given: { residents: [resident()], interval: '2m' },
      want: `${annotate}=true; sleep 13; ${again('2m')}; ${annotate}-`,
    },
    NoWholeSecond: {
      reason: 'not every sleep takes half a second',
      given: { residents: [resident()], interval: '55s' },
      want: `${annotate}=true; sleep 7; ${again('55s')}; ${annotate}-`,
    },
    Pending: {
      reason: 'at once, nothing more would be known',
      given: { residents: [resident({ isWaiting: true, editedAt: at('11:59:58') })] },
      want: `sleep 61; ${again('10m')}`,
    },
    BesideNpmStart: {
      reason: 'the ticks have to be slowed first',
      given: {
        residents: [resident()],
        interval: '10s',
        by: { ...remedies, isLocal: true },
      },
      want: `npm start -- --interval 600   # in place of the one that runs, with its other options; half a minute later:\n${annotate}=true; sleep 61; ${again('10m')}; ${annotate}-`,
    },
  };
  it.each(Object.entries(trials))('of audit events: %s', (_, { reason, given, want }) => {
    expect(remedyOf('audit events', given), reason).toBe(want);
  });

  it.each([
    [elsewhere, /^the log of the resync function: .*"resynced"/],
    [{ ...elsewhere, isLocal: true }, /^what npm start prints/],
    [
      { ...elsewhere, gitVersion: 'v1.33.2-gke.1', project: 'mine' },
      /^gcloud logging read '.*"resynced".*' .* --project mine$/,
    ],
  ])('lead to the log of where it runs: %o', (place, want) => {
    expect(remedyOf('ticks', {}, place)).toMatch(want);
  });

  it('are given only where something is to be done', () => {
    const residents = [resident({ editedAt: at('11:58:00'), answeredAt: at('11:58:02') })];
    const fine = look({ residents, lastWrite: wrote }).filter(({ state }) => state === 'ok');
    expect(fine.map(({ name, remedy }) => [name, remedy])).toEqual([
      ['last write', undefined],
      ['audit events', undefined],
    ]);
  });
});
