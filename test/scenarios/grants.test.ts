import { runGrants } from './grants.ts';

runGrants('local');
