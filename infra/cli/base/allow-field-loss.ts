import type { Command } from 'commander';

export const allowFieldLoss = '--allow-field-loss';

/** The remedy for a definition that drops or narrows a field. */
export const lossRemedy = 'change the field in steps (docs/upgrading.md, Renaming a field)';

export interface FieldLossOptions {
  readonly allowFieldLoss?: true;
}

export const withFieldLoss = (command: Command): Command =>
  command.option(
    allowFieldLoss,
    'accept that the definitions drop or narrow fields of stored resources',
  );
