// One measured run of a component under V8: rewritten, given input and uniforms,
// rendered. Both oracles and the comparison use it.

import { Activity } from './activity.mjs';
import { Component, stackPointer } from './component-host.mjs';
import { readCounters, writeCounters } from './counter.mjs';
import { rewrite } from './rewrite.mjs';

// Returns { output, pages, counts }: what render gave, the page report and the
// `metric,value` pairs. Throws a RunError for everything that is not a finished run.
export function measure(bytes, { input, uniforms = {}, counts: counting = true } = {}) {
  const { facts } = new Component(bytes); // refuses what is no component before it is rewritten
  const activity = new Activity();
  const initialPointer = stackPointer(facts);
  const options = { accesses: true, counts: counting, stackPointer: initialPointer !== undefined };
  activity.listening = false;
  const component = new Component(bytes, { binary: rewrite(bytes, options), imports: activity.imports() });
  component.hidden = (run) => {
    const saved = counting && readCounters(component.exports);
    const listening = activity.listening;
    activity.listening = false;
    const result = run();
    activity.listening = listening;
    if (saved) writeCounters(component.exports, saved);
    return result;
  };
  component.restart(); // getters that ran while the contract was read are not counted
  activity.listening = true;
  const output = component.render(input, uniforms);
  const start = initialPointer === undefined ? undefined : Math.min(activity.lowest ?? initialPointer, initialPointer);
  for (const { active, start: at, length } of facts.data) if (active) activity.initialize(at, length);
  if (component.contract.input) activity.initialize(component.contract.input.pointer, output.inputSize);
  return {
    output,
    pages: activity.csv(regions(component, output, [start ?? 0, initialPointer ?? 0])),
    counts: metrics(component, activity, output, counting),
  };
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

function metrics(component, activity, output, counting) {
  const counters = counting ? readCounters(component.exports) : {};
  const { depth, peak_frames: peakFrames, ...executed } = counters;
  if (counting && depth !== 1n) throw new Error(`the oracle lost a frame: depth ${depth}`);
  return {
    ...executed,
    ...activity.totals,
    ...(counting && { peak_frames: peakFrames, memory_pages: component.memory.length / 65536 }),
    output_bytes: output.bytes.length,
  };
}

export const csvOf = (counts) =>
  'metric,value\n' + Object.entries(counts).map(([metric, value]) => `${metric},${value}\n`).join('');
