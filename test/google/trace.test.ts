import { describe, expect, it } from 'vitest';
import { traceFields } from '../../shared/google/platform.ts';
import { casesOf } from '../support/cases.ts';

const id = '4bf92f3577b34da6a3ce929d0e0e4736';
const tied = { 'logging.googleapis.com/trace': `projects/demo/traces/${id}` };

const cases: Record<string, { reason: string; given: Record<string, string>; want: object }> = {
  W3c: {
    reason: 'any proxy may send traceparent',
    given: { traceparent: `00-${id}-00f067aa0ba902b7-01` },
    want: tied,
  },
  Cloud: {
    reason: 'Google Cloud sends its own header',
    given: { 'x-cloud-trace-context': `${id}/123;o=1` },
    want: tied,
  },
  None: { reason: 'there is no trace to refer to', given: {}, want: {} },
  Nonsense: { reason: 'an invalid header is ignored', given: { traceparent: 'x"\n' }, want: {} },
};

describe('traceFields', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(traceFields(given, 'demo')).toEqual(want);
  });

  it('are empty without a project', () => {
    expect(traceFields({ 'x-cloud-trace-context': id }, undefined)).toEqual({});
  });
});
