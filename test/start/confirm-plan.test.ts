import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { enterPressed } from '../../infra/start/reload/confirm-plan.ts';

const flowing = (): PassThrough => new PassThrough().resume();

describe('Enter', () => {
  it('confirms if it is pressed after the plan is shown', async () => {
    const input = flowing();
    const response = enterPressed(input, new AbortController().signal);
    input.write('\n');
    expect(await response).toBe(true);
  });

  it('does not confirm if it was pressed before the plan is shown', async () => {
    const input = flowing();
    const consumed = new Promise((resolve) => input.once('data', resolve));
    input.write('\n');
    await consumed;
    const newer = new AbortController();
    const response = enterPressed(input, newer.signal);
    newer.abort();
    expect(await response).toBe(false);
  });

  it('does not confirm a plan once there is a newer change', async () => {
    const newer = new AbortController();
    newer.abort();
    expect(await enterPressed(flowing(), newer.signal)).toBe(false);
  });
});
