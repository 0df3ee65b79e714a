//! Words what a run found, for people who see it for the first time: each problem in its place, what it means, and the line
//! that accepts it.

mod picture;

use std::fmt::Write as _;

use annotate_snippets::Renderer;

use super::check::Hit;
use super::lines::Lines;
use super::marker::Flaw;
use super::policy::Policy;
use super::remedy;
use super::report::{self, plural};
use super::rule::Rule;
use super::run::Run;
use super::verdict::{Judged, Stale, Status, Verdict};
use crate::output::{printable, printable_path};
use picture::{Marker, Picture};

/// What people should know, and what fails no run.
pub fn advisories(verdict: &Verdict, policy: &Policy) -> String {
    let mut text = report::advisories(verdict, policy);
    if !verdict.flaws.is_empty() && !verdict.strict_markers {
        let (n, are) = plural(verdict.flaws.len(), "marker is", "markers are");
        let _ = writeln!(text, "advisory: {n} {are} wrong; mend or remove:");
        for (path, flaw) in &verdict.flaws {
            let _ = writeln!(text, "  {}", report::describe_flaw(path, flaw));
        }
    }
    text
}

/// What fails the run, in the order of the shorter report, with an empty line between two problems.
pub fn problems(run: &Run, verdict: &Verdict, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut drawn = Vec::new();
    let problems: Vec<&Judged> = verdict.of(Status::Problem).collect();
    for problems in problems.chunk_by(|a, b| a.path == b.path) {
        let Some((file, text)) = problems.first().and_then(|problem| run.text(problem.path)) else { continue };
        let lines = Lines::new(&text);
        let markers = remedy::markers(file, &run.policy);
        for problem in problems {
            let hit = problem.hit;
            let mut picture = of_hit(problem.path, hit, &lines);
            picture.notes.extend(remedy::failed_marker(file, hit));
            picture.notes.extend(verdict.exceeded_by(problem).map(report::describe_exceeded));
            match markers.get(&hit.line) {
                Some(Ok(proposal)) => picture.marker = Some(Marker { call: remedy::call(hit, proposal), proposal }),
                Some(Err(what)) => picture.help.push(printable(what)),
                None => {}
            }
            drawn.push(picture.draw(&renderer));
        }
    }
    if verdict.strict_markers {
        for flaws in verdict.flaws.chunk_by(|(a, _), (b, _)| a == b) {
            let Some((_, text)) = flaws.first().and_then(|(path, _)| run.text(path)) else { continue };
            let lines = Lines::new(&text);
            drawn.extend(flaws.iter().map(|(path, flaw)| of_flaw(path, flaw, &lines).draw(&renderer)));
        }
    }
    if verdict.strict {
        drawn.extend(of_stale(&verdict.stale, &run.policy, &renderer));
    }
    drawn.join("\n")
}

fn of_hit<'p>(path: &str, hit: &Hit, lines: &'p Lines<'p>) -> Picture<'p> {
    let mut picture = Picture::new(printable_path(path), lines);
    let Some((first, others)) = hit.rules.split_first() else { return picture };
    picture.name = first.name();
    first.flagged().clone_into(&mut picture.title);
    let several = !others.is_empty();
    // One for each rule: a line may hold thousands.
    let firsts = hit.rules.iter().filter_map(|rule| hit.shapes.iter().find(|(of, _)| of == rule));
    picture.shapes = firsts.map(|(rule, range)| (range.clone(), several.then_some(rule.name()))).collect();
    picture.notes.push(remedy::why(hit));
    if several {
        let others: Vec<&str> = others.iter().copied().map(Rule::name).collect();
        picture.notes.push(format!("the line is a hit of {} too; one marker is enough", others.join(" and ")));
    }
    picture.help.extend(hit.rules.iter().copied().map(remedy::more));
    picture
}

fn of_flaw<'p>(path: &str, flaw: &Flaw, lines: &'p Lines<'p>) -> Picture<'p> {
    let mut picture = Picture::new(printable_path(path), lines);
    picture.name = flaw.kind.name();
    picture.title = printable(&flaw.what);
    picture.shapes = vec![(flaw.range.clone(), None)];
    picture
}

/// They are in the policy.
fn of_stale(stale: &[Stale], policy: &Policy, renderer: &Renderer) -> Vec<String> {
    let Some(file) = &policy.origin.file else { return Vec::new() };
    let lines = Lines::new(file.body());
    let pictures = stale.iter().zip(remedy::places(stale, policy)).map(|(stale, place)| {
        let mut picture = Picture::new(printable(&policy.origin.name), &lines);
        picture.name = Stale::KIND;
        picture.title = report::describe(stale);
        picture.shapes = place.map(|range| (range, None)).into_iter().collect();
        picture.draw(renderer)
    });
    pictures.collect()
}
