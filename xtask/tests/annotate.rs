//! Where markers are written, and what stays as it is.

use camino::Utf8Path;
use xtask::lint_spawns::annotate::{Annotated, Note, Proposal, Reason, annotate, propose};
use xtask::lint_spawns::check::Checker;
use xtask::lint_spawns::policy::{Markers, Policy};

const LONG: &str = "a reason that is long enough to make of any line one of more than a hundred columns, with its hit";

/// Marks all hits in a text by the default policy.
fn mark(text: &[u8], reason: &str, markers: Markers) -> Annotated {
    let policy = Policy::load(Utf8Path::new("no/such/folder"), None).unwrap();
    let checker = Checker::new(&policy).unwrap();
    let hits: Vec<usize> = checker.check(text).iter().filter(|hit| hit.reason.is_none()).map(|hit| hit.line).collect();
    assert!(!hits.is_empty(), "there is nothing to mark in {}", text.escape_ascii());
    annotate(text, &hits, &[], Note::new(&policy.marker, Reason::new(reason).unwrap(), markers).unwrap())
}

/// The `M` in `expected` are the markers.
#[track_caller]
fn check_with(reason: &str, markers: Markers, text: &[u8], expected: &[u8]) {
    let Annotated { bytes, left, .. } = mark(text, reason, markers);
    let marker = format!("# detached-spawn: ok — {reason}");
    let mut shown = bytes;
    while let Some(at) = memchr::memmem::find(&shown, marker.as_bytes()) {
        shown.splice(at..at + marker.len(), *b"M");
    }
    assert_eq!(shown.escape_ascii().to_string(), expected.escape_ascii().to_string());
    assert_eq!(left, [], "hits without a place");
}

#[track_caller]
fn check(text: &str, expected: &str) {
    check_with("ok", Markers::Reference, text.as_bytes(), expected.as_bytes());
}

/// What is said of the hits that have no place for a marker.
#[track_caller]
fn check_left(text: &str, markers: Markers, expected: &[(usize, &str)]) {
    let annotated = mark(text.as_bytes(), "ok", markers);
    let left: Vec<(usize, &str)> = annotated.left.iter().map(|left| (left.line, left.why.as_str())).collect();
    assert_eq!(left, expected, "{text}");
    if annotated.added.is_empty() {
        assert_eq!(annotated.bytes, text.as_bytes());
    }
}

#[test]
fn behind_the_line() {
    check("os.setsid()\n", "os.setsid()  M\n");
    check("if x:\n    os.setsid(); y\n", "if x:\n    os.setsid(); y  M\n");
    check("f(a,\n  start_new_session=True,\n  b)\n", "f(a,\n  start_new_session=True,  M\n  b)\n");
    check("@f(process_group=0)\ndef g(): pass\n", "@f(process_group=0)  M\ndef g(): pass\n");
    check("os.setsid() \t\n", "os.setsid()  M \t\n");
    check("x = '# no comment', os.setsid()\n", "x = '# no comment', os.setsid()  M\n");
    check("x = '''\n''', os.setsid()\n", "x = '''\n''', os.setsid()  M\n");
    check("x = \\\n  os.setsid()\n", "x = \\\n  os.setsid()  M\n");
}

#[test]
fn above_a_line_that_would_get_too_long() {
    let fits = |name: usize| format!("{}(process_group=0)\n", "f".repeat(name));
    // The marker takes 27 columns with the space before it.
    check(&fits(56), &fits(56).replace('\n', "  M\n"));
    check(&fits(57), &format!("M\n{}", fits(57)));
    // Columns are characters.
    check(&fits(56).replace('f', "é"), &fits(56).replace('f', "é").replace('\n', "  M\n"));
    for (text, expected) in [
        ("if x:\n\t  os.setsid()\n", "if x:\n\t  M\n\t  os.setsid()\n"),
        ("if x: pass\nelif os.setsid():\n  y\n", "if x: pass\nM\nelif os.setsid():\n  y\n"),
        ("@a\n@f(process_group=0)\ndef g(): pass\n", "@a\nM\n@f(process_group=0)\ndef g(): pass\n"),
        ("f(a,\n  process_group=0,\n  b)\n", "f(a,\n  M\n  process_group=0,\n  b)\n"),
        ("class A:\n\x0c    os.setsid()\n", "class A:\n    M\n\x0c    os.setsid()\n"),
        ("#!/usr/bin/python\nos.setsid()\n", "#!/usr/bin/python\nM\nos.setsid()\n"),
    ] {
        check_with(LONG, Markers::Reference, text.as_bytes(), expected.as_bytes());
    }
}

#[test]
fn above_a_line_that_ends_in_a_comment() {
    for comment in ["#", "# why", "# noqa: E501", "# type: ignore", "# fmt: skip", "# detached-spawn: ok"] {
        check(&format!("if x:\n  os.setsid()  {comment}\n"), &format!("if x:\n  M\n  os.setsid()  {comment}\n"));
        check(
            &format!("f(\n  process_group=0, {comment}\n)\n"),
            &format!("f(\n  M\n  process_group=0, {comment}\n)\n"),
        );
    }
}

#[test]
fn above_a_line_that_takes_no_comment() {
    check("x = os.setsid(), '''\n'''\n", "M\nx = os.setsid(), '''\n'''\n");
    check("x = os.setsid(), f'''{\na}'''\n", "M\nx = os.setsid(), f'''{\na}'''\n");
    check("x = os.setsid(), 'a\\\nb'\n", "M\nx = os.setsid(), 'a\\\nb'\n");
    check("x = os.setsid() + \\\n 1\n", "M\nx = os.setsid() + \\\n 1\n");
    check("(a,\n os.setsid() + \\\n 1)\n", "(a,\n M\n os.setsid() + \\\n 1)\n");
    check("os.setsid() \\", "M\nos.setsid() \\");
}

#[test]
fn behind_a_line_that_is_too_long_but_has_no_line_above() {
    for text in ["x = \\\n  os.setsid()\n", "x = '''\n''', os.setsid()\n", "f'''\n{os.setsid()}'''\n"] {
        let expected = text.strip_suffix('\n').unwrap().to_owned() + "  M\n";
        check_with(LONG, Markers::Reference, text.as_bytes(), expected.as_bytes());
    }
}

#[test]
fn no_place() {
    const STRING: &str = "the line begins inside a string and ends inside a string";
    check_left("x = f'''\n{os.setsid()}\n'''\n", Markers::Reference, &[(2, STRING)]);
    check_left("x = f'''{\nos.setsid()\n}'''\n", Markers::Reference, &[(2, STRING)]);
    check_left("x = f'{\nos.setsid()\n}'\n", Markers::Reference, &[(2, STRING)]);
    check_left("x = f'''{a:\n{os.setsid()}\n}'''\n", Markers::Reference, &[(2, STRING)]);
    check_left(
        "x = 1 + \\\n os.setsid() + \\\n 2\n",
        Markers::Reference,
        &[(2, "the line follows a backslash and ends in a backslash")],
    );
    check_left(
        "x = 1 + \\\n os.setsid() # why\n",
        Markers::Reference,
        &[(2, "the line follows a backslash and ends in a comment")],
    );
    check_left(
        "x = f'''\n{os.setsid()}''' + \\\n 1\nos.setsid()\n",
        Markers::Reference,
        &[(2, "the line begins inside a string and ends in a backslash")],
    );
}

/// Such a text is no Python.
#[test]
fn no_place_that_is_certain() {
    const NO_END: &str = "a string in the file has no end, so that it is not known where a comment can stand";
    check_left("os.setsid()\nx = '''\n", Markers::Reference, &[(1, NO_END)]);
    check("x = ('a, process_group=0)\n", "M\nx = ('a, process_group=0)\n");
    check("x = (f'a, {process_group}=0)\n", "M\nx = (f'a, {process_group}=0)\n");
    check("f(os.setsid(\ndef g(): pass\n", "f(os.setsid(  M\ndef g(): pass\n");
}

#[test]
fn hits_on_neighbouring_lines() {
    // Of one statement: the marker behind the first line covers the second one.
    check("f(process_group=0,\n  start_new_session=1)\n", "f(process_group=0,  M\n  start_new_session=1)\n");
    check(
        "f(process_group=0,\n  start_new_session=1,\n **{'process_group': 0})\n",
        "f(process_group=0,  M\n  start_new_session=1,\n **{'process_group': 0})  M\n",
    );
    // Of two: each has its own, for the one may go and take its marker with it.
    check("os.setsid()\nos.setpgrp()\n", "os.setsid()  M\nos.setpgrp()  M\n");
    check("os.setsid() # a\nos.setpgrp() # b\n", "M\nos.setsid() # a\nM\nos.setpgrp() # b\n");
    // But where there is no place, it is covered all the same.
    check(
        "a, f'''{\nos.setsid()}'''\nos.setpgrp(), '''\n'''\n",
        "a, f'''{\nos.setsid()}'''  M\nM\nos.setpgrp(), '''\n'''\n",
    );
}

#[test]
fn hits_of_other_rules_are_not_marked_along() {
    let note = |markers| Note::new("detached-spawn: ok", Reason::new("ok").unwrap(), markers).unwrap();
    let text = b"os.setsid()\nos.setpgrp()\n";
    let marker = "# detached-spawn: ok — ok";
    let with =
        |others: &[usize], markers| String::from_utf8(annotate(text, &[1], others, note(markers)).bytes).unwrap();
    assert_eq!(with(&[2], Markers::Reference), format!("{marker}\nos.setsid()\nos.setpgrp()\n"));
    assert_eq!(with(&[2], Markers::Statement), format!("os.setsid()  {marker}\nos.setpgrp()\n"));
    assert_eq!(with(&[3], Markers::Reference), format!("os.setsid()  {marker}\nos.setpgrp()\n"));
}

#[test]
fn one_marker_a_statement() {
    let check = |text: &str, expected: &str| {
        check_with("ok", Markers::Statement, text.as_bytes(), expected.as_bytes());
    };
    check("f(process_group=0,\n a,\n start_new_session=1)\n", "f(process_group=0,  M\n a,\n start_new_session=1)\n");
    check("os.setsid()\nos.setpgrp()\n", "os.setsid()  M\nos.setpgrp()  M\n");
    check("os.setsid(); os.setpgrp()\n", "os.setsid(); os.setpgrp()  M\n");
    let def = "def f(): pass\n";
    check(
        &format!("@f(process_group=0)\n@g(process_group=0)\n{def}"),
        &format!("@f(process_group=0)  M\n@g(process_group=0)\n{def}"),
    );
    check(
        &format!("@f\n@g(f'''\n{{os.setsid()}}\n''')\n{def}"),
        &format!("M\n@f\n@g(f'''\n{{os.setsid()}}\n''')\n{def}"),
    );
    check(
        &format!("f(process_group=0,\n a, process_group=0,\n{def}"),
        &format!("f(process_group=0,  M\n a, process_group=0,  M\n{def}"),
    );
    // Above the statement, where the line of the hit has no place.
    check("if a:\n  x = f'''\n  {os.setsid()}\n'''\n", "if a:\n  M\n  x = f'''\n  {os.setsid()}\n'''\n");
    check("x = 1 + \\\n os.setsid() + \\\n 2\n", "M\nx = 1 + \\\n os.setsid() + \\\n 2\n");
    check("x = 1 + \\\n os.setsid() # why\n", "M\nx = 1 + \\\n os.setsid() # why\n");
}

#[test]
fn line_ends_and_other_bytes_stay() {
    let check = |reason, text: &[u8], expected: &[u8]| check_with(reason, Markers::Reference, text, expected);
    check("ok", b"a\r\nos.setsid()\r\nb\rc\n", b"a\r\nos.setsid()  M\r\nb\rc\n");
    check(LONG, b"a\r\nos.setsid()\r\nb\rc\n", b"a\r\nM\r\nos.setsid()\r\nb\rc\n");
    check(LONG, b"a\nb\ros.setsid()\rc\r\nos.setpgrp()\n", b"a\nb\rM\ros.setsid()\rc\r\nM\nos.setpgrp()\n");
    // Without a last line break.
    check("ok", b"a\r\nos.setsid()", b"a\r\nos.setsid()  M");
    check(LONG, b"a\r\nos.setsid()", b"a\r\nM\r\nos.setsid()");
    check(LONG, b"a\n\ros.setsid()", b"a\n\rM\ros.setsid()");
    check(LONG, b"os.setsid()", b"M\nos.setsid()");
    // A byte order mark stays the first thing.
    check("ok", b"\xef\xbb\xbfos.setsid()\n", b"\xef\xbb\xbfos.setsid()  M\n");
    check(LONG, b"\xef\xbb\xbfos.setsid()\n", b"\xef\xbb\xbfM\nos.setsid()\n");
    // What is not UTF-8, and NUL.
    check("ok", b"'\xff'\n# \xe2\x80\nos.setsid()\n'\0'\n", b"'\xff'\n# \xe2\x80\nos.setsid()  M\n'\0'\n");
    check("ok", b"'\xff', os.setsid() \xff\n", b"'\xff', os.setsid() \xff  M\n");
    check(LONG, b"# \r\xff\nos.setsid()\r\xff\n", b"# \r\xff\nM\r\nos.setsid()\r\xff\n");
    check("ok", b"os.setsid()\x0b\xc2\x85\xe2\x80\xa8\n", b"os.setsid()\x0b\xc2\x85\xe2\x80\xa8  M\n");
}

#[test]
fn encodings() {
    let marked = |text: &str, reason: &str| mark(text.as_bytes(), reason, Markers::Reference);
    let line = |cookie: &str, reason: &str| {
        let text = format!("{cookie}\nos.setsid()\n");
        let Annotated { bytes, left, .. } = marked(&text, reason);
        let bytes = String::from_utf8(bytes).unwrap();
        match left.first() {
            Some(left) => left.why.clone(),
            None => bytes.lines().nth(1).unwrap().to_owned(),
        }
    };
    let dash = "os.setsid()  # detached-spawn: ok — why";
    let hyphen = "os.setsid()  # detached-spawn: ok - why";
    for cookie in ["", "# coding: utf-8", "# -*- coding: UTF_8 -*-", "#coding=utf8", "x # coding: latin-1"] {
        assert_eq!(line(cookie, "why"), dash, "{cookie}");
    }
    for cookie in ["# coding: latin-1", "#!/bin/x coding=ISO_8859-15", "\x0c # vim: set fileencoding=ascii :"] {
        assert_eq!(line(cookie, "why"), hyphen, "{cookie}");
        assert_eq!(line(cookie, "é"), "the file is not in UTF-8, and the marker is not in ASCII", "{cookie}");
    }
    for cookie in ["# coding: utf-7", "# coding: shift_jis", "# coding: utf8-", "# coding: nonsense"] {
        let why = "it is not known how to write ASCII in the file's encoding";
        assert_eq!(line(cookie, "why"), why, "{cookie}");
    }
    // Only the first two lines tell, the second one if the first is blank or a comment.
    for (before, expected) in [
        ("# a\n# coding: latin-1\n", " - "),
        ("\n# coding: latin-1\n", " - "),
        ("x\n# coding: latin-1\n", " — "),
        ("'''\n# coding: latin-1'''\n", " — "),
        ("#\n#\n# coding: latin-1\n", " — "),
        ("\u{feff}# coding: latin-1\n", " — "),
    ] {
        let Annotated { bytes, .. } = marked(&format!("{before}os.setsid()\n"), "why");
        assert!(String::from_utf8(bytes).unwrap().contains(expected), "{before:?}");
    }
}

/// A comment line among the first two must not name an encoding (PEP 263).
#[test]
fn a_marker_that_would_be_a_coding_cookie() {
    let check = |text: &str, expected: &str| {
        check_with("encoding: utf-9", Markers::Reference, text.as_bytes(), expected.as_bytes());
    };
    check("os.setsid()\n", "os.setsid()  M\n");
    check("a\n\nos.setsid() #\n", "a\n\nM\nos.setsid() #\n");
    for text in ["os.setsid() #\n", "#\nos.setsid() #\n"] {
        let Annotated { bytes, left, .. } = mark(text.as_bytes(), "encoding: utf-9", Markers::Reference);
        assert_eq!(bytes, text.as_bytes());
        let why = "the line is one of the first two, where the reason would name an encoding, and ends in a comment";
        assert_eq!(left[0].why, why);
    }
}

#[test]
fn lines_are_told_as_they_are_and_were() {
    let text = "os.setsid() #\nx = f'''\n{os.setsid()}\n'''\nos.setsid()\n";
    let annotated = mark(text.as_bytes(), "ok", Markers::Reference);
    assert_eq!(annotated.added, [1, 6]);
    assert_eq!(annotated.left.iter().map(|left| (left.line, left.line_now)).collect::<Vec<_>>(), [(3, 4)]);
}

#[test]
fn reasons() {
    let refused = |reason| format!("{}", Reason::new(reason).unwrap_err());
    for reason in ["", " ", "-", "— - –", "\u{a0}---"] {
        assert_eq!(refused(reason), "the reason says nothing; say why the child may outlive its owner");
    }
    for reason in ["a\nb", "a\rb", "a\n", "a\tb", "\u{1b}[31m", "a\u{85}b", "a\u{2028}b", "a\u{202e}b", "\u{7f}"] {
        let why = "the reason holds a line break or another control character; write it in plain text";
        assert_eq!(refused(reason), why, "{reason:?}");
    }
    for reason in ["- why", "  why  ", "é", "#", "why — and how"] {
        Note::new("ok", Reason::new(reason).unwrap(), Markers::Reference).unwrap();
        let refused = Note::new("o\rk", Reason::new(reason).unwrap(), Markers::Reference).unwrap_err();
        let why = "the policy's `marker` holds a control character; write it in plain text";
        assert_eq!(format!("{refused}"), why);
    }
}

/// What people are told to write is what would be written: where, and if at all.
#[test]
fn proposals() {
    let texts = [
        "os.setsid()\nos.setpgrp()\n\nos.setsid()  # noqa\n",
        "x = \\\n  os.setsid() # noqa\n",
        "f(a,\n  start_new_session=True,\n  b, process_group=0)\n",
        "x = f\'\'\'\n{os.setsid()}\n\'\'\'\n",
        "os.setsid()\nx = \'\'\'\n",
        "# coding: utf-7\nos.setsid()\n",
    ];
    let policy = Policy::load(Utf8Path::new("no/such/folder"), None).unwrap();
    let checker = Checker::new(&policy).unwrap();
    for (text, markers) in texts.iter().flat_map(|text| [(text, Markers::Reference), (text, Markers::Statement)]) {
        let note = Note::new(&policy.marker, Reason::new("ok").unwrap(), markers).unwrap();
        let hits: Vec<usize> = checker.check(text.as_bytes()).iter().map(|hit| hit.line).collect();
        for (hit, proposal) in hits.iter().zip(propose(text.as_bytes(), &hits, note)) {
            let others: Vec<usize> = hits.iter().copied().filter(|other| other != hit).collect();
            let annotated = annotate(text.as_bytes(), &[*hit], &others, note);
            let written = match proposal {
                Err(why) => Err(why),
                Ok(Proposal { line, trailing, comment }) => {
                    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                    let code = &lines[line - 1];
                    let indentation = code[..code.len() - code.trim_start().len()].to_owned();
                    if trailing {
                        lines[line - 1] += &format!("  {comment}");
                    } else {
                        lines.insert(line - 1, indentation + &comment);
                    }
                    Ok(lines.join("\n") + "\n")
                }
            };
            let expected = match annotated.left.first() {
                Some(left) => Err(left.why.clone()),
                None => Ok(String::from_utf8(annotated.bytes).unwrap()),
            };
            assert_eq!(written, expected, "line {hit} of {text}");
        }
    }
}
