// One measured run of a component under V8: rewritten, given input and uniforms,
// rendered. Both oracles and the comparison use it.

import { Activity } from './activity.mjs';
import { Component, RunError, stackPointer } from './component-host.mjs';
import { readCounters, setBudget, writeCounters } from './counter.mjs';
import { rewrite } from './rewrite.mjs';

// wasmeter's own default budget; loops that never end stop there.
export const DEFAULT_BUDGET = 1_000_000_000n;

// Returns { output, pages, counts, needed }: what render gave, the page report, the
// `metric,value` pairs, and the budget that the run takes: getters that run, and a
// V2 component's commit, are not counted but paid for. Throws a RunError for everything that is not a finished run.
export function measure(bytes, { input, uniforms = {}, budget = DEFAULT_BUDGET } = {}) {
  const { facts } = new Component(bytes); // refuses what is no component before it is rewritten
  const activity = new Activity();
  const initialPointer = stackPointer(facts);
  const binary = rewrite(bytes, { accesses: true, counts: true, stackPointer: initialPointer !== undefined });
  activity.listening = false;
  const component = new Component(bytes, { binary, imports: activity.imports() });
  component.hidden = (run) => {
    const counters = readCounters(component.exports);
    const listening = activity.listening;
    activity.listening = false;
    const result = run();
    activity.listening = listening;
    unseen += readCounters(component.exports).instructions - counters.instructions;
    writeCounters(component.exports, counters);
    return result;
  };
  // Getters that ran while the contract was read are not counted.
  let unseen = readCounters(component.exports).instructions;
  component.restart();
  activity.listening = true;
  const output = renderWithin(budget, component, input, uniforms);
  for (const { active, start, length } of facts.data) if (active) activity.initialize(start, length);
  if (component.contract.input) activity.initialize(component.contract.input.pointer, output.inputSize);
  const lowest = Math.min(activity.lowest ?? initialPointer, initialPointer);
  return {
    output,
    pages: activity.csv(regions(component, output, initialPointer === undefined ? [0, 0] : [lowest, initialPointer])),
    counts: metrics(component, activity, output),
    needed: readCounters(component.exports).instructions + unseen,
  };
}

// The rewritten module traps at a back-edge beyond the budget. A run that traps
// for its own reasons within a segment of the budget's end is not told apart.
function renderWithin(budget, component, input, uniforms) {
  setBudget(component.exports, budget);
  const exhausted = () => readCounters(component.exports).instructions > budget;
  let output;
  try {
    output = component.render(input, uniforms);
  } catch (error) {
    if (error.kind !== 'trap' || !exhausted()) throw error;
  }
  if (exhausted()) throw new RunError('budget', `budget of ${budget} instructions exhausted`);
  return output;
}

function regions({ facts, contract }, output, [lowest, initial]) {
  const { input } = contract;
  return [
    ...facts.data.filter(({ active }) => active).map(({ start, length }) => ['data', start, start + length]),
    ['input', input?.pointer ?? 0, (input?.pointer ?? 0) + (input?.capacity ?? 0)],
    ['stack', lowest, initial],
    ['output', output.pointer, output.pointer + output.bytes.length],
  ];
}

function metrics(component, activity, output) {
  const { depth, peak_frames: peakFrames, ...executed } = readCounters(component.exports);
  if (depth !== 1n) throw new Error(`the oracle lost a frame: depth ${depth}`);
  return {
    ...executed,
    ...activity.totals,
    peak_frames: peakFrames,
    memory_pages: component.memory.length / 65536,
    output_bytes: output.bytes.length,
  };
}

export const csvOf = (counts) =>
  'metric,value\n' + Object.entries(counts).map(([metric, value]) => `${metric},${value}\n`).join('');
