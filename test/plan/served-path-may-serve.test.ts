import { expect, it } from 'vitest';
import { mayServe, servedPathOf } from '../../shared/plan/exposure/served-path.ts';
import { casesOf } from '../support/cases.ts';
import { pattern } from '../support/router.ts';

const any = '/.*';

interface Case {
  readonly reason: string;
  readonly by: string;
  readonly asked: string;
  readonly want: boolean;
}

const [root, a, ab, abc, b] = ['/', '/a', '/a/b', '/a/b/c', '/b'].map(pattern) as [
  string,
  string,
  string,
  string,
  string,
];

const cases: Record<string, Case> = {
  Same: { reason: 'a path serves its own requests', by: a, asked: a, want: true },
  Above: {
    reason: 'an ancestor serves the requests of a path',
    by: root,
    asked: ab,
    want: true,
  },
  Below: {
    reason: 'a path below another serves only some of the requests of the other',
    by: abc,
    asked: a,
    want: false,
  },
  Beside: {
    reason: 'a sibling serves none of the requests of a path',
    by: b,
    asked: pattern('/a/c'),
    want: false,
  },
  Prefix: {
    reason: 'a path matches whole segments',
    by: a,
    asked: pattern('/ab'),
    want: false,
  },
  AnyHeld: {
    reason: 'a pattern of unknown form may serve any request',
    by: any,
    asked: a,
    want: true,
  },
  AnyAsked: {
    reason: 'any path may serve requests of a pattern of unknown form',
    by: b,
    asked: any,
    want: true,
  },
};

it.each(casesOf(cases))('mayServe: %s', (_, { reason, by, asked, want }) => {
  expect(mayServe(servedPathOf(by), servedPathOf(asked)), reason).toBe(want);
});
