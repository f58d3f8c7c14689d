import { expect } from 'vitest';
import type { Place } from './place.ts';

/** Expects repeated resyncs to write nothing. */
export async function expectRest(place: Place): Promise<void> {
  const versions = await place.versions();
  const writes = await place.writes();
  for (let run = 0; run < 3; run++) {
    const { resources, statusWrites } = await place.resync();
    expect({ resources, statusWrites }).toEqual({
      resources: { total: 1, unchanged: 1, reconciled: 0 },
      statusWrites: 0,
    });
  }
  expect(await place.versions()).toEqual(versions);
  expect(await place.writes()).toEqual(writes);
}
