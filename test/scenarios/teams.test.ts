import { runTeams } from './teams.ts';

runTeams('local');
