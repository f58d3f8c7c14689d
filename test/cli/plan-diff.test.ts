import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { planDiff } from '../../infra/cli/plan/plan-diff.ts';
import type { Action } from '../../shared/preview/planned-resource.ts';
import { casesOf } from '../support/cases.ts';
import { plannedWebsite } from './planned-website.ts';

const apply = { verb: 'apply', object: 'Deployment default/shop' } as const;

const cases: Readonly<Record<string, { reason: string; given: Partial<Action>; want: string[] }>> =
  {
    'an update': { reason: 'it is sent', given: {}, want: ['-  replicas: 3', '+  replicas: 2'] },
    'a repair while the child waits for another': {
      reason: 'it is sent although it has a reason',
      given: { reason: 'Waiting', message: 'waits for Job migrate' },
      want: ['-  replicas: 3', '+  replicas: 2'],
    },
    'an update that a rollout holds back': {
      reason: 'it is not sent',
      given: { verb: 'hold', reason: 'RolloutWaiting', message: 'waits', requests: [] },
      want: [],
    },
  };

it.each(casesOf(cases))('plan -o diff shows the changed fields of %s', (_, { given, want }) => {
  const action: Action = {
    verb: 'update',
    child: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
    differences: [{ path: 'spec.replicas', from: 3, to: 2, writer: undefined }],
    requests: [apply],
    ...given,
  };
  const lines = planDiff({ resources: [plannedWebsite({ actions: [action] })] }).map((line) =>
    typeof line === 'string' ? line : stripVTControlCharacters(line.ansi),
  );
  expect(lines.filter((line) => /^[-+] /.test(line))).toEqual(want);
});
