import { runTeams } from '../scenarios/teams.ts';

runTeams('real');
