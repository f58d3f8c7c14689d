/** Hooks that the tests of a file share. Their results are read in tests and in later hooks. */

import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Kind } from '../../shared/kinds/kind.ts';
import { present } from '../support/present.ts';
import { type Engine, type EngineOptions, openEngine, type Place } from './engine.ts';
import { openStepWorld, type StepWorld } from './step-world.ts';

interface Setup extends EngineOptions {
  /** Installs kinds in addition to those of this repository. */
  readonly install?: readonly Kind[];
}

/** Opens an engine before the first test of a file or suite, and stops it after the last. */
export function useEngine({ install = [], ...options }: Setup = {}): Engine {
  let engine: Engine | undefined;
  beforeAll(async () => {
    engine = await openEngine(options);
    if (install.length > 0) await engine.install(install);
  });
  afterAll(() => engine?.stop());
  return present(() => engine);
}

/** Opens a world of single steps in the same way. */
export function useStepWorld(kinds: readonly Kind[]): StepWorld {
  let world: StepWorld | undefined;
  beforeAll(async () => {
    world = await openStepWorld(kinds);
  });
  afterAll(() => world?.stop());
  return present(() => world);
}

interface Opener {
  place(of?: readonly Kind[]): Promise<Place>;
}

/** Opens a fresh place before each test. */
export function usePlace(opener: Opener, of?: readonly Kind[]): Place {
  let place: Place | undefined;
  beforeEach(async () => {
    place = await opener.place(of);
  });
  return present(() => place);
}
