import { runGrants } from '../scenarios/grants.ts';

runGrants('real');
