import { buildFunctions } from '../../infra/build/build.ts';

/** The suite drives what is deployed, so it is built first. */
export const setup = (): Promise<void> => buildFunctions();
